package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/check/isolate"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/recording"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Loaded is a path file that was replayed on its system.
type Loaded struct {
	System sim.System
	Header pathfile.Header
	// Only LoadTolerant returns mismatches.
	replay.Reading
	Steps int // of the file
	// Returned describes a step of a suspected divergence that returns here, and is left out. An empty string means none.
	Returned string
	// Recording is the merged recordings of live nodes; nil means that the path is from a file.
	Recording *recording.Merged
	// Death describes how the run kills its process; nil means that it does not.
	Death *isolate.Death
	// Unsafe is the step before which Path ends, because it may kill this process; nil means none.
	Unsafe *Unsafe

	elsewhere *replay.Trace // of a run with an unsafe step, by another process
}

// Unsafe is a step that is not executed in this process.
type Unsafe struct {
	Step int    // 0 means the first boots
	Why  string // as a sentence without its end
}

// Load reads a path file, or merges the recordings in a folder. It builds the system of the path, one of the entries,
// and replays the first steps of the path. It executes no others, which may not return. A negative number means all.
// Unless respawn is nil, the run is first executed in a fresh process; that command must call [isolate.Reexecute] with
// the same system. Errors name the file and, if there is one, the line.
func Load(ctx context.Context, entries []spec.Entry, name string, steps int, respawn func() *exec.Cmd) (*Loaded, error) {
	text, err := OpenSource(entries, name)
	if err == nil {
		err = text.truncate(steps)
	}
	if err != nil {
		return nil, err
	}
	sys, err := text.system(entries)
	if err != nil {
		return nil, err
	}
	return text.load(ctx, sys, respawn)
}

// LoadFor is Load for a path that must belong to sys. Only the fault limits may differ. A file with another timing,
// interleaving or crash cut is an error, because its choices differ.
func LoadFor(ctx context.Context, name string, sys *sim.System, respawn func() *exec.Cmd) (*Loaded, error) {
	text, err := OpenSource(nil, name)
	if err != nil {
		return nil, err
	}
	if err = checkHeader(text.file.Header, sys); err == nil {
		err = sameRuns(&text.file.Header, sys)
	}
	if err != nil {
		return nil, text.headerError(err)
	}
	return text.load(ctx, sys, respawn)
}

// sameRuns returns an error if a header requires runs of another kind than those of sys.
func sameRuns(h *pathfile.Header, sys *sim.System) error {
	own := replay.HeaderOf(sys, pathfile.Header{})
	for _, setting := range []struct{ key, file, own string }{
		{"timing", cmp.Or(h.Timing, own.Timing), own.Timing},
		{"interleave", cmp.Or(h.Interleave, sim.Rotate.String()), cmp.Or(own.Interleave, sim.Rotate.String())},
		{"crash-cut", cmp.Or(h.CrashCut, sim.CutPrefix.String()), cmp.Or(own.CrashCut, sim.CutPrefix.String())},
	} {
		if setting.file != setting.own {
			return &HeaderError{setting.key, "", fmt.Errorf("the path has %s %s, but here it is %s", setting.key, setting.file, setting.own)}
		}
	}
	return nil
}

// LoadTolerant is LoadFor for a path that may be from another version of the system, see [replay.FollowFile], also
// for record. sys is a result of AsWritten.
func LoadTolerant(ctx context.Context, name string, sys *sim.System, respawn func() *exec.Cmd, record choose.Path) (*Loaded, error) {
	text, err := OpenSource(nil, name)
	if err != nil {
		return nil, err
	}
	text.tolerant, text.record = true, record
	return text.load(ctx, sys, respawn)
}

// LoadDeath returns the run of a path file that killed the replaying process, with d as its death. respawn is as for
// Load.
func LoadDeath(ctx context.Context, name string, sys *sim.System, d *isolate.Death, respawn func() *exec.Cmd) (*Loaded, error) {
	text, err := OpenSource(nil, name)
	if err != nil {
		return nil, err
	}
	return text.dead(ctx, sys, d, isolate.Fresh{Respawn: respawn, Limit: lookLimit})
}

// AsWritten returns sys with the fault limits, the timing and the interleaving of a path file, and with the only
// checked property if the file names one. A system without a name gets the one in the file.
func AsWritten(name string, sys sim.System) (sim.System, error) {
	text, err := OpenSource(nil, name)
	if err != nil {
		return sys, err
	}
	h := text.file.Header
	sys.Name = cmp.Or(sys.Name, h.System)
	as := sys
	if err = checkHeader(h, &sys); err == nil {
		as, err = asWritten(&sys, &h)
	}
	if err != nil {
		return sys, text.headerError(err)
	}
	return *asRun(&as, &h), nil
}

// asWritten returns the system with the faults, the timing and the only checked property of the header.
func asWritten(sys *sim.System, h *pathfile.Header) (sim.System, error) {
	as := *sys
	limits, err := replay.HeaderLimits(h)
	if err == nil {
		as, err = sys.WithLimits(limits)
	}
	if err != nil {
		return *sys, &HeaderError{"limit", "", err}
	}
	as.Interleave = sim.Rotate
	if err := (Modes{h.Timing, h.Interleave, h.CrashCut}).Apply(&as); err != nil {
		return *sys, err
	}
	return only(as, h)
}

// Instant returns the instant at which the clocks of programs begin in the run of a path file, in nanoseconds since 1970.
func Instant(h *pathfile.Header) uint64 { return cmp.Or(h.Instant, simext.Epoch) }

// InstantOf is Instant for a file; 0 means that it is not a path file.
func InstantOf(name string) uint64 {
	parsed, err := pathfile.Read(name)
	if err != nil {
		return 0
	}
	return Instant(&parsed.Header)
}

// asRun returns sys with clocks that begin at the instant of the header, and with streams that accept everything that is sent if the header
// requires it.
func asRun(sys *sim.System, h *pathfile.Header) *sim.System {
	own := sys.At(time.Unix(0, int64(Instant(h))))
	if h.AsLive {
		own = simext.AsLive(own)
	}
	return &own
}

// SystemOf builds the system of a path file, one of the entries.
func SystemOf(entries []spec.Entry, name string) (*sim.System, error) {
	text, err := OpenSource(entries, name)
	if err != nil {
		return nil, err
	}
	return text.system(entries)
}

// Trace executes the run up to step n and describes every step; n < 0 means all. A run that kills its process was
// executed and described by another one.
func (l *Loaded) Trace(n int) (*replay.Trace, error) {
	if l.Returned != "" {
		n = min(n, l.Steps)
	}
	if u := l.Unsafe; u != nil && (n < 0 || n >= u.Step) {
		return l.traceElsewhere(n)
	}
	path := l.Path
	if n >= 0 {
		var err error
		if path, err = firstSteps(&l.System, path, n); err != nil {
			return nil, err
		}
	}
	t, err := replay.Record(&l.System, path, kernel.Options{Trace: true})
	if err == nil && l.Header.Endless && len(t.Steps) == l.Steps && t.Finding == nil {
		if t.SetRound(l.Header.Round) == nil { // otherwise Outdated returns the error
			t.Endless = l.Header.Note
		}
	}
	return t, err
}

// traceElsewhere returns the description of the first n steps by another process; n < 0 means all.
func (l *Loaded) traceElsewhere(n int) (*replay.Trace, error) {
	t := *l.elsewhere
	switch last := len(t.Steps); {
	case n > last:
		return nil, fmt.Errorf("no step %d; the run has %d", n, last)
	case n >= 0 && n < last:
		t.Steps = t.Steps[:n]
		t.Messages = slices.DeleteFunc(slices.Clone(t.Messages), func(m replay.TraceMessage) bool { return m.Sent > n })
		t.Finding, t.FoundAt, t.Properties = nil, 0, nil
	}
	return &t, nil
}

// Outdated returns why a run differs from the one in the file, because the system has changed; nil means that it does
// not. t is the trace of the whole run.
func (l *Loaded) Outdated(t *replay.Trace) error {
	switch n := len(t.Steps); {
	case t.Finding != nil && n < l.Steps && l.Unsafe == nil:
		return fmt.Errorf("the run ends after step %d, the file has %d steps: the system has changed; %w", n, l.Steps, t.Finding)
	case len(l.Moved) > 0:
		return fmt.Errorf("%v", l.Moved[0])
	case t.Finding == nil && l.Header.Endless && len(t.Steps) == l.Steps && t.Round != l.Header.Round:
		return t.SetRound(l.Header.Round)
	}
	return nil
}

// Until returns the part of the run's path up to the state after step n, or an error if the run has no such step.
func (l *Loaded) Until(n int) (choose.Path, error) { return firstSteps(&l.System, l.Path, n) }

// firstSteps returns the part of path up to the state after step n, or up to an earlier finding.
func firstSteps(sys *sim.System, path choose.Path, n int) (choose.Path, error) {
	c, err := replay.NewCursor(sys, path, kernel.Options{Contain: true})
	if err == nil {
		err = c.To(n)
	}
	if _, finding := errors.AsType[*sim.Finding](err); err != nil && !finding {
		if errors.Is(err, replay.ErrEnd) {
			err = fmt.Errorf("no step %d; the run has %d", n, c.Steps())
		}
		return nil, err
	}
	return path[:c.Pos()].Clone(), nil
}

// Violation describes the violation of the run in one line; an empty string means none. A run does not violate
// liveness by itself. A file recorded for such a violation still shows it if its property does not hold in the end.
func (l *Loaded) Violation(t *replay.Trace) string {
	if t.Finding != nil {
		return t.Finding.Error()
	}
	if l.Header.Endless && t.Round == l.Header.Round {
		return fmt.Sprintf("%s: %s", sim.Starvation, l.Header.Property)
	}
	for _, p := range t.Properties {
		if p.Name == l.Header.Property && p.Kind == "eventually" && !p.Holds {
			return fmt.Sprintf("%s: %s", sim.Liveness, p.Name)
		}
	}
	return ""
}

// Recorded returns the finding that the file records, in a few words; an empty string means that it records none.
func (l *Loaded) Recorded() string {
	h := &l.Header
	if h.Finding == "" || h.Property == "" {
		return cmp.Or(h.Finding, h.Property)
	}
	return h.Finding + ": " + h.Property
}

// Recurs reports whether the run shows the finding that the file records; t describes the whole run. A finding of nondeterminism recurs
// if two executions of the path, in this process and a fresh one, differ.
func (l *Loaded) Recurs(ctx context.Context, t *replay.Trace, respawn func() *exec.Cmd) (bool, error) {
	kind := sim.FindingKind(l.Header.Finding)
	if t.Finding != nil && (kind != sim.Nondeterminism || t.Finding.Kind == kind) {
		return kind == "" || kind == t.Finding.Kind, nil
	}
	switch kind {
	case sim.Liveness, sim.Deadlock:
		i := slices.IndexFunc(t.Properties, func(p replay.PropertyState) bool {
			return p.Kind == "eventually" && !p.Holds && (l.Header.Property == "" || p.Name == l.Header.Property)
		})
		if i < 0 {
			return false, nil
		}
		return l.dead(ctx, kind, t.Properties[i].Name)
	case sim.Safety, sim.Panic, sim.Divergence:
		return false, nil
	case sim.Nondeterminism:
		c := &checker{Options: Options{Search: search.Config{System: l.System}, Respawn: respawn}, sys: l.System}
		r := &recurrence{c: c, found: &search.Suspect{Finding: sim.Finding{Kind: kind}}, path: l.Path}
		if _, err := r.decide(ctx); err != nil || r.death != nil {
			return err == nil, err
		}
		_, _, same := r.here.FirstDifference(r.again)
		return !same || r.here.Other != nil, ctx.Err()
	}
	return l.Violation(t) != "", nil
}

// deadFor is the time limit of walks that try to recover from the last state of a run.
const deadFor = 5 * time.Second

// dead reports whether no walk recovers from the last state of the run, in which a property does not hold. It returns
// true if that is unknown after deadFor.
func (l *Loaded) dead(ctx context.Context, kind sim.FindingKind, property string) (bool, error) {
	limited, cancel := context.WithTimeout(ctx, deadFor)
	defer cancel()
	r, err := Critical(limited, l, CriticalOptions{Property: property, WalkOptions: WalkOptions{Walks: 20}})
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case err != nil:
		return true, nil
	case r.Verdict == search.Violation:
		return kind == r.Kind || kind == sim.Liveness, nil
	}
	return r.Verdict != search.OK, nil
}
