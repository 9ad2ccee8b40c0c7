package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/check/isolate"
	"github.com/macemc/macemc/internal/infile"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/recording"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/wire"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Source is a path file as stored on disk, so that errors can name lines, or a run merged from recordings. It is not
// replayed yet.
type Source struct {
	name   string
	data   []byte
	file   *pathfile.File
	merged *recording.Merged // nil for a file on disk
	// tolerant allows paths of another version of the system. Their picks are appended to record.
	tolerant bool
	record   choose.Path
	part     bool   // later steps were left out
	left     string // describes a step that was left out because it returns here; empty means none
}

// OpenSource reads a path file. It merges a folder of recordings if their system is one of the entries.
func OpenSource(entries []spec.Entry, name string) (*Source, error) {
	if recording.IsDir(name) {
		m, err := MergeRecordings(entries, name)
		if err != nil {
			return nil, err
		}
		data, err := content(m.Bare)
		return &Source{name: name, data: data, file: m.Bare, merged: m}, err
	}
	data, err := infile.Read(name)
	if errors.Is(err, syscall.EISDIR) {
		err = fmt.Errorf("%s is a folder without recordings of live nodes; name a path file", name)
	}
	if err != nil {
		return nil, err
	}
	f, err := pathfile.Parse(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &Source{name: name, data: data, file: f}, nil
}

// truncate leaves out the steps after the first n; a negative number means none. A path that has fewer keeps all.
func (t *Source) truncate(n int) (err error) {
	if n < 0 || n >= len(t.file.Steps) {
		return nil
	}
	f := *t.file
	f.Steps = f.Steps[:n]
	t.file, t.part = &f, true
	t.data, err = content(&f)
	return err
}

// follow replays the path. A mismatch gets the line of its step.
func (t *Source) follow(sys *sim.System) (*replay.Reading, error) {
	var r *replay.Reading
	var err error
	if t.tolerant {
		r, err = replay.FollowFile(sys, t.file, t.record)
	} else {
		r, err = replay.ReadFile(sys, t.file)
	}
	if mismatch, ok := errors.AsType[*replay.MismatchError](err); ok {
		if t.returns(mismatch) {
			t.left = fmt.Sprintf("step %d (%s) did not return when the run was written, and returns here: it is left out, because the file lacks "+
				"its later choices", mismatch.Step, mismatch.Key)
			if err := t.truncate(mismatch.Step - 1); err != nil {
				return nil, err
			}
			return t.follow(sys)
		}
		mismatch.Line = t.stepLine(mismatch.Step)
		switch {
		case mismatch.Step > 0 && t.file.Header.Finding == string(sim.Nondeterminism):
			err = fmt.Errorf("%w: %w", err, exitcode.ErrDiffers)
		case mismatch.Step > 0:
			err = fmt.Errorf("%w: code or settings have changed since the run was written; mctest.Replay executes the steps that still apply", err)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.name, err)
	}
	return r, nil
}

// returns reports whether a mismatch is due to a last step that did not return when the file was written, and returns here. The file has
// only the choices up to the moment at which the step was given up.
func (t *Source) returns(m *replay.MismatchError) bool {
	return m.Step > 0 && m.Step == len(t.file.Steps) && !t.part && m.Instead == m.Key && t.file.Header.Finding == string(sim.Divergence)
}

func (t *Source) system(entries []spec.Entry) (*sim.System, error) {
	subject, err := FromHeader(entries, t.file.Header)
	if err != nil {
		return nil, t.headerError(err)
	}
	return asRun(&subject.System, &t.file.Header), nil
}

func (t *Source) load(ctx context.Context, sys *sim.System, respawn func() *exec.Cmd) (*Loaded, error) {
	sys = asRun(sys, &t.file.Header)
	if respawn != nil && t.merged == nil { // merging has executed all of it in this process
		if l, err := t.examine(ctx, sys, isolate.Fresh{Respawn: respawn, Limit: lookLimit}); l != nil || err != nil {
			return l, err
		}
	}
	reading, err := t.follow(sys)
	if err != nil {
		return nil, err
	}
	for _, m := range reading.Mismatches {
		m.Line = t.stepLine(m.Step)
	}
	return &Loaded{System: *sys, Header: t.file.Header, Recording: t.merged, Steps: len(t.file.Steps), Reading: *reading,
		Returned: t.left}, nil
}

// lookLimit is the time limit for a step of a path file, which was confirmed when the file was made.
const lookLimit = 2 * time.Second

// examine follows the file in a fresh process, because the run may end its process. The result is nil if the run can be
// executed here.
func (t *Source) examine(ctx context.Context, sys *sim.System, fresh isolate.Fresh) (*Loaded, error) {
	run, err := fresh.ExamineFile(ctx, string(t.data), t.tolerant)
	if err != nil {
		return nil, err
	}
	if d := run.Death; d != nil {
		return t.dead(ctx, sys, d, fresh)
	}
	kind := sim.FindingKind(t.file.Header.Finding)
	if !run.LeaksGoroutines || kind != sim.Panic && kind != sim.Divergence {
		return nil, nil
	}
	// A goroutine ended the recorded process, and may end the next one.
	trace, err := run.Describe(ctx, fresh, len(t.file.Steps))
	switch {
	case err != nil:
		return nil, err
	case run.Death != nil:
		return t.dead(ctx, sys, run.Death, fresh)
	}
	l := t.loaded(sys, run.BeforeLeak)
	l.elsewhere, l.Unsafe = trace, &Unsafe{run.LeakStep, fmt.Sprintf("step %d starts a goroutine that may end this process", run.LeakStep)}
	return l, nil
}

// dead returns the run if it kills its process. It describes the run in a fresh process.
func (t *Source) dead(ctx context.Context, sys *sim.System, d *isolate.Death, fresh isolate.Fresh) (*Loaded, error) {
	hollow := d.Hollow(*sys)
	l := t.loaded(&hollow, d.Before)
	l.Death, l.Unsafe = d, &Unsafe{d.Steps, d.Message}
	if d.Running > 0 {
		l.Path, l.Unsafe.Step = d.BeforeLeak, d.LeakStep
	}
	if err := d.Describe(ctx, fresh, 0); err != nil {
		return nil, fmt.Errorf("%s: %w", t.name, err)
	}
	l.elsewhere = d.Trace(&l.System)
	return l, nil
}

// loaded returns the run with a path that may be only its beginning.
func (t *Source) loaded(sys *sim.System, path choose.Path) *Loaded {
	return &Loaded{System: *sys, Header: t.file.Header, Steps: len(t.file.Steps), Reading: replay.Reading{Path: path}}
}

// headerError adds the line of the header to err.
func (t *Source) headerError(err error) error {
	about := HeaderError{Key: "system"}
	if e, ok := errors.AsType[*HeaderError](err); ok {
		about = *e
	}
	for i, line := range strings.Split(string(t.data), "\n") {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if key == about.Key && strings.HasPrefix(strings.Trim(value, ` "`), about.Value) {
			return fmt.Errorf("%s: line %d: %w", t.name, i+1, err)
		}
	}
	return fmt.Errorf("%s: %w", t.name, err)
}

// stepLine returns the line of step n, counted from 1, or 0 if the file lacks it. Step 0 means the first boots.
func (t *Source) stepLine(n int) int {
	for i, line := range strings.Split(string(t.data), "\n") {
		line = strings.TrimSpace(line)
		if n == 0 && strings.HasPrefix(line, "boot ") {
			return i + 1
		}
		if line != "" && '0' <= line[0] && line[0] <= '9' {
			if n--; n == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// Recorded returns the system of recordings of live nodes, one of the entries, as a subject without fault limits of
// its own. It also returns the recordings and the codec of their messages.
func Recorded(entries []spec.Entry, dir string) (s Subject, set *recording.Set, codec *wire.Types, err error) {
	if set, err = recording.ReadDir(dir); err != nil {
		return s, nil, nil, err
	}
	h := set.Header
	e, err := spec.Find(entries, h.System)
	if err == nil {
		s, err = NewSubject(e, Wanted{
			Config: spec.Config{Nodes: h.Nodes, Params: h.Params, Bugs: h.Bugs},
			Limits: func(l *sim.Limits) { *l = sim.Limits{} },
		})
	}
	if err == nil {
		codec, err = wire.NewTypes(s.Entry.Messages...)
	}
	if err != nil {
		return s, nil, nil, fmt.Errorf("%s: %w", dir, err)
	}
	return s, set, codec, nil
}

// MergeRecordings merges the recordings of all nodes in a folder into one run.
func MergeRecordings(entries []spec.Entry, dir string) (*recording.Merged, error) {
	s, set, codec, err := Recorded(entries, dir)
	if err != nil {
		return nil, err
	}
	h := s.Header(1)
	h.Note = "recorded by live nodes"
	return recording.Merge(s.System, set, codec, h)
}

// Header returns the header, which identifies the system.
func (t *Source) Header() pathfile.Header { return t.file.Header }

// On replays the run on sys, which must be its own system. Only fault limits may differ.
func (t *Source) On(ctx context.Context, sys *sim.System) (*Loaded, error) {
	if err := checkHeader(t.file.Header, sys); err != nil {
		return nil, t.headerError(err)
	}
	return t.load(ctx, sys, nil)
}
