package check

import (
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"slices"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/check/isolate"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/recording"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Loaded is a path file that was followed on the system that it belongs to.
type Loaded struct {
	System sim.System
	Header choose.Header
	Path   choose.Path
	Moved  []replay.Moved // steps at other indices than the file says
	// Renamed are the steps with answers that the file labels otherwise.
	Renamed []replay.Renamed
	Steps   int // of the file
	// Recording is what recordings of live nodes have been merged to; nil: the path is a file's.
	Recording *recording.Merged
	// Death says how the last step kills the process that executes it; nil: it does not. Path ends
	// before that step then.
	Death *isolate.Death
	// Misfits are the steps that did not fit and Followed those that did, of LoadTolerant only.
	Misfits  []*replay.MisfitError
	Followed int

	entries []spec.Entry
}

// Load reads a path file, or merges the recordings in a folder into one, rebuilds the system that it belongs
// to, one of the entries, and follows the path. The
// last step is first executed in a fresh process, unless respawn is nil: the command must come to
// call [isolate.Reexecute] with the same system. Errors name the file, and the line where there is one.
func Load(ctx context.Context, entries []spec.Entry, name string, respawn func() *exec.Cmd) (*Loaded, error) {
	text, err := OpenSource(entries, name)
	if err != nil {
		return nil, err
	}
	sys, err := text.system(entries)
	if err != nil {
		return nil, err
	}
	l, err := text.load(ctx, sys, respawn)
	if err != nil {
		return nil, err
	}
	l.entries = entries
	return l, nil
}

// LoadFor is Load for a path that must belong to sys; only its fault limits may differ. A file of another timing, of other schedules of
// goroutines or of another crash cut is an error, as its choices are others.
func LoadFor(ctx context.Context, name string, sys *sim.System, respawn func() *exec.Cmd) (*Loaded, error) {
	text, err := OpenSource(nil, name)
	if err != nil {
		return nil, err
	}
	err = checkHeader(text.file.Header, sys)
	if err == nil {
		err = sameRuns(&text.file.Header, sys)
	}
	if err != nil {
		return nil, text.headerError(err)
	}
	return text.load(ctx, sys, respawn)
}

// sameRuns returns an error if a header says of the runs that they are of another kind than those of sys.
func sameRuns(h *choose.Header, sys *sim.System) error {
	own := replay.HeaderOf(sys, choose.Header{})
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

// LoadTolerant is LoadFor for a path that may have been written when the system was another one, see
// [replay.FollowFile], which also says what record is. AsWritten has returned sys.
func LoadTolerant(ctx context.Context, name string, sys *sim.System, respawn func() *exec.Cmd, record choose.Path) (*Loaded, error) {
	text, err := OpenSource(nil, name)
	if err != nil {
		return nil, err
	}
	text.tolerant, text.record = true, record
	return text.load(ctx, sys, respawn)
}

// LoadDeath is the run of a path file that killed the process which followed it, as d says.
func LoadDeath(name string, sys *sim.System, d *isolate.Death) (*Loaded, error) {
	text, err := OpenSource(nil, name)
	if err != nil {
		return nil, err
	}
	return text.dead(sys, d), nil
}

// AsWritten returns sys with the fault limits, the timing and the schedules of goroutines that a path file says, and with the property
// that alone is checked if the file names one. A system without a name gets that of the file.
func AsWritten(name string, sys sim.System) (sim.System, error) {
	text, err := OpenSource(nil, name)
	if err != nil {
		return sys, err
	}
	h := text.file.Header
	sys.Name = cmp.Or(sys.Name, h.System)
	if err := checkHeader(h, &sys); err != nil {
		return sys, text.headerError(err)
	}
	as, err := asWritten(&sys, &h)
	if err != nil {
		return sys, text.headerError(err)
	}
	return *asRun(&as, &h), nil
}

// asWritten is the system with what the header says of faults, timing and the property that alone is checked.
func asWritten(sys *sim.System, h *choose.Header) (sim.System, error) {
	limits, err := replay.HeaderLimits(h)
	if err != nil {
		return *sys, &HeaderError{"limit", "", err}
	}
	as, err := sys.WithLimits(limits)
	if err != nil {
		return *sys, &HeaderError{"limit", "", err}
	}
	if h.Timing != "" {
		if as.Timing, err = sim.ParseTiming(h.Timing); err != nil {
			return *sys, &HeaderError{"timing", "", err}
		}
	}
	if as.Interleave = sim.Rotate; h.Interleave != "" {
		if as.Interleave, err = sim.ParseInterleave(h.Interleave); err != nil {
			return *sys, &HeaderError{"interleave", "", err}
		}
	}
	if h.CrashCut != "" {
		if as.CrashCut, err = sim.ParseCrashCut(h.CrashCut); err != nil {
			return *sys, &HeaderError{"crash-cut", "", err}
		}
	}
	return only(as, h)
}

// asRun is the system whose streams take all that was sent in a run that the header says so of.
func asRun(sys *sim.System, h *choose.Header) *sim.System {
	if !h.AsLive {
		return sys
	}
	own := simext.AsLive(*sys)
	return &own
}

// SystemOf rebuilds the system that a path file belongs to, one of the entries.
func SystemOf(entries []spec.Entry, name string) (*sim.System, error) {
	text, err := OpenSource(entries, name)
	if err != nil {
		return nil, err
	}
	return text.system(entries)
}

// Trace executes the run up to step n and describes every step; n < 0: all. The step that kills its
// process is described, not executed.
func (l *Loaded) Trace(n int) (*replay.Trace, error) {
	if d := l.Death; d != nil && (n < 0 || n == d.Steps || d.Steps == 0) {
		return d.Trace(&l.System, nil)
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
		if t.SetRound(l.Header.Round) == nil { // else Outdated says so
			t.Endless = l.Header.Note
		}
	}
	return t, err
}

// Outdated says why a run is not the one that the file was written of, t being all of it; nil: it is. The system has changed
// since.
func (l *Loaded) Outdated(t *replay.Trace) error {
	switch n := len(t.Steps); {
	case t.Finding != nil && n < l.Steps:
		return fmt.Errorf("the run ends after step %d, the file has %d steps: the system has changed; %w", n, l.Steps, t.Finding)
	case len(l.Moved) > 0:
		m := l.Moved[0]
		return fmt.Errorf("step %d is event %d, the file says %d: the system has changed", m.Step, m.To, m.From)
	case t.Finding == nil && l.Header.Endless && len(t.Steps) == l.Steps && t.Round != l.Header.Round:
		return t.SetRound(l.Header.Round)
	}
	return nil
}

// Until is the part of the run's path that leads to the state after step n. The error says that there
// is no such step.
func (l *Loaded) Until(n int) (choose.Path, error) { return firstSteps(&l.System, l.Path, n) }

// firstSteps is the part of path that leads to the state after step n, or to a finding before.
func firstSteps(sys *sim.System, path choose.Path, n int) (choose.Path, error) {
	w, err := kernel.NewWorld(sys, kernel.Options{Contain: true})
	if err != nil {
		return nil, err
	}
	src := &choose.Prefix{Path: path}
	run := replay.NewRun(w)
	for failed := run.Start(src); failed == nil && run.Steps() < n; {
		index, ok := src.Take()
		if !ok {
			return nil, fmt.Errorf("the run has %d steps, there is no step %d", run.Steps(), n)
		}
		failed = run.Step(index, src)
	}
	return run.Path.Clone(), src.Err()
}

// Violation says in one line what the run violates; "" when it does not. A run is no violation of
// liveness by itself, but a file that was written for one still shows it when its property does not
// hold in the end.
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
// if this process and a fresh one execute the path differently.
func (l *Loaded) Recurs(ctx context.Context, t *replay.Trace, respawn func() *exec.Cmd) (bool, error) {
	kind := sim.FindingKind(l.Header.Finding)
	if t.Finding != nil {
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
		r := &recurrence{o: &Options{Search: search.Config{System: l.System}, Respawn: respawn}, found: &search.Suspect{Kind: kind}, path: l.Path}
		if _, err := r.decide(ctx); err != nil || r.death != nil {
			return err == nil, err
		}
		_, _, same := r.here.Parting(r.again)
		return !same, ctx.Err()
	}
	return l.Violation(t) != "", nil
}

// deadFor is how long walks may take to show that the last state of a run is not dead.
const deadFor = 5 * time.Second

// dead reports whether no walk from the last state of the run, in which a property does not hold, recovers. It is true if that is not known
// after deadFor.
func (l *Loaded) dead(ctx context.Context, kind sim.FindingKind, property string) (bool, error) {
	limited, cancel := context.WithTimeout(ctx, deadFor)
	defer cancel()
	r, err := Critical(limited, l, CriticalOptions{Property: property, Walks: 20})
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
