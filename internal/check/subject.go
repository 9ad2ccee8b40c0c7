package check

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Subject is a system with all settings that define the meaning of its paths.
type Subject struct {
	Entry  spec.Entry
	Config spec.Config // complete
	System sim.System
}

// Wanted is a user's settings of a system. Missing ones have the defaults of the seeded bugs, or else the system's
// own.
type Wanted struct {
	spec.Config
	Limits func(*sim.Limits) // changes the default limits; nil leaves them
	Modes
}

// Modes names how a system handles time, goroutines and crashes. An empty name means as the system defines.
type Modes struct{ Timing, Interleave, CrashCut string }

// Apply sets the modes of a system. The error is a [*HeaderError].
func (m Modes) Apply(sys *sim.System) (err error) {
	if m.Timing != "" {
		if sys.Timing, err = simext.ParseTiming(m.Timing); err != nil {
			return &HeaderError{"timing", "", err}
		}
	}
	if m.Interleave != "" {
		if sys.Interleave, err = simext.ParseInterleave(m.Interleave); err != nil {
			return &HeaderError{"interleave", "", err}
		}
	}
	if m.CrashCut != "" {
		if sys.CrashCut, err = simext.ParseCrashCut(m.CrashCut); err != nil {
			return &HeaderError{"crash-cut", "", err}
		}
	}
	return nil
}

// NewSubject builds the system that e describes. The error states what is wrong with wanted.
func NewSubject(e spec.Entry, wanted Wanted) (Subject, error) {
	c, limits := wanted.Config, sim.Limits{}
	for _, id := range wanted.Bugs {
		b, err := e.Bug(id)
		if err != nil {
			return Subject{}, err
		}
		c, limits = b.Apply(c), limits.Max(b.Defaults.Limits)
	}
	c, err := e.Configure(c)
	if err != nil {
		return Subject{}, err
	}
	sys, err := e.New(c)
	if err != nil {
		return Subject{}, err
	}
	if len(wanted.Bugs) == 0 {
		limits = e.DefaultLimits(c)
	} else {
		limits = possible(limits, sys)
	}
	if wanted.Limits != nil {
		wanted.Limits(&limits)
	}
	if err := limits.Validate(); err != nil {
		return Subject{}, err
	}
	if sys, err = sys.WithLimits(limits); err != nil {
		return Subject{}, fmt.Errorf("system %q: %w", e.Name, err)
	}
	if err := wanted.Modes.Apply(&sys); err != nil {
		return Subject{}, err
	}
	if err := turns(&sys); err != nil {
		return Subject{}, err
	}
	return Subject{Entry: e, Config: c, System: sys}, sys.Validate()
}

// DefaultDelay is the bound of [LivenessTiming].
const DefaultDelay = 100 * time.Millisecond

// LivenessTiming returns the timing for searching a system that sets none. Liveness is judged on networks with bounded
// delays, where no false suspicion of a healthy node rescues a run. Services are judged without a bound, too. Libraries
// that give up after some retries are correct only under a bound, so the liveness of goroutines is judged only there.
// Common time passes in small steps only under a bound, so systems with [sim.Clocks] use it, too. Transitions of quorums
// allow no bound ([sim.System.Quorums]).
func LivenessTiming(sys *sim.System) (t sim.Timing) {
	t = sys.Timing
	judged := slices.ContainsFunc(sys.Properties, func(p sim.Property) bool { return p.Eventually != nil })
	if t != sim.ByDeadline || !judged && sys.Clocks == nil {
		return t
	}
	defer func() { _ = recover() }() // a panic in New is a finding of the search
	switch {
	case declared.Limited(sys) != nil:
		t = sim.BoundedLiveness(DefaultDelay)
	case judged && len(sys.Quorums) == 0:
		t = sim.SometimesBounded(DefaultDelay)
	}
	return t
}

// turns returns an error for an interleaving if no service has goroutines to interleave.
func turns(sys *sim.System) (err error) {
	defer func() { _ = recover() }() // a panic in New is a finding of the search
	if sys.Interleave != sim.Rotate && declared.Limited(sys) == nil {
		err = fmt.Errorf("--interleave %v: no service of %s uses package bubble, so there are no goroutines to interleave",
			sys.Interleave, sys.Name)
	}
	return err
}

// possible returns l without the faults that the network of sys does not have. The defaults of a bug assume default
// parameters.
func possible(l sim.Limits, sys sim.System) sim.Limits {
	for f := range sim.FaultCount {
		var one sim.Limits
		one[f] = l[f]
		if _, err := sys.WithLimits(one); err != nil {
			l[f] = 0
		}
	}
	return l
}

// Header returns the header of the subject's path files except for the fields that depend on the path.
func (s *Subject) Header(seed uint64) pathfile.Header {
	h := pathfile.Header{Package: s.Entry.Package, Test: s.Entry.Test, Seed: seed, Bugs: slices.Clone(s.Config.Bugs)}
	for _, k := range slices.Sorted(maps.Keys(s.Config.Params)) {
		h.Params = append(h.Params, pathfile.Param{Key: k, Value: s.Config.Params[k]})
	}
	return h
}

// HeaderError is an error in the header of a path file.
type HeaderError struct {
	Key, Value string // of the header's line; Value may be only its beginning, or empty
	Err        error
}

func (e *HeaderError) Error() string { return e.Err.Error() }
func (e *HeaderError) Unwrap() error { return e.Err }

// FromHeader builds the system of a path file, one of the entries. The error is a [*HeaderError].
func FromHeader(entries []spec.Entry, h pathfile.Header) (Subject, error) {
	fail := func(key, value string, err error) (Subject, error) {
		return Subject{}, &HeaderError{key, value, err}
	}
	e, err := spec.Find(entries, h.System)
	if err != nil {
		return fail("system", "", err)
	}
	if _, err := e.Configure(spec.Config{Nodes: h.Nodes}); err != nil {
		return fail("nodes", "", err)
	}
	for _, id := range h.Bugs {
		if _, err := e.Bug(id); err != nil {
			return fail("bug", id, err)
		}
	}
	wanted := Wanted{Config: spec.Config{Nodes: h.Nodes, Params: map[string]string{}, Bugs: h.Bugs}}
	params, _, _ := SplitParams(&h)
	for _, p := range params {
		if _, err := e.Configure(spec.Config{Params: map[string]string{p.Key: p.Value}}); err != nil {
			return fail("param", p.Key, err)
		}
		wanted.Params[p.Key] = p.Value
	}
	limits, err := replay.HeaderLimits(&h)
	if err != nil {
		return fail("limit", "", err)
	}
	wanted.Limits = func(l *sim.Limits) { *l = limits }
	wanted.Interleave = sim.Rotate.String()
	s, err := NewSubject(e, wanted)
	if err != nil {
		return fail("limit", "", err)
	}
	if s.System, err = asWritten(&s.System, &h); err != nil {
		return Subject{}, err
	}
	if err := cmp.Or(turns(&s.System), s.System.Validate()); err != nil {
		return fail("limit", "", err)
	}
	_, err = walkWeights(&h)
	return s, err
}

// checkHeader returns an error if a path file does not belong to sys.
func checkHeader(h pathfile.Header, sys *sim.System) error {
	if h.System != sys.Name {
		return &HeaderError{"system", "", fmt.Errorf("the path is for system %q, not %q", h.System, sys.Name)}
	}
	if h.Nodes != sys.Nodes {
		return &HeaderError{"nodes", "", fmt.Errorf("the path has %d nodes, the system has %d", h.Nodes, sys.Nodes)}
	}
	_, err := walkWeights(&h)
	return err
}
