package critical

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/sim"
)

// Proof is the evidence that a run is dead.
type Proof string

const (
	// Exact: all successors by the recovery relation were visited, and none is live. A failing step leads to no
	// state: its run ends with a finding of its own, and so does not recover.
	Exact Proof = "exact"
	Walks Proof = "walks" // random walks did not recover, which is evidence but not a proof
)

// Budget of an exhaustive search of the recovery relation, which may not terminate. If messages accumulate, each
// step has a new state, which is more expensive than the one before.
const (
	defaultStates = 1 << 14
	programStates = 1 << 10 // of programs
	deepest       = 256     // steps
	defaultBytes  = 256 << 20
	mostLooks     = 16 // all searches of one run together visit at most as many states as this many searches
)

// examine visits the successors of a step within the budget, and caches the result. It returns nil if the state
// tables do not support a state, or the budget is spent.
func (f *finder) examine(ctx context.Context, step int) (*table.Recovery, error) {
	if r, ok := f.searches.byStep[step]; ok {
		return r, nil
	}
	f.notify(Progress{Step: step, Steps: f.dead.steps()})
	r, why, err := f.explore(ctx, f.dead.prefix(step))
	if err != nil {
		return nil, err
	}
	f.searches.byStep[step] = r
	f.searches.unproven = cmp.Or(why, f.searches.unproven)
	if r != nil && r.Live != nil {
		o, err := f.prober.walk(ctx, f.prober.workers[0], r.Live, 0, 0)
		if err != nil {
			return nil, err
		}
		f.save(r.Live, o.End == runloop.Found)
	}
	return r, nil
}

// explore visits the successors of a path, which may end inside a step. unproven is the reason why it is unknown whether
// one of them is live.
func (f *finder) explore(ctx context.Context, path choose.Path) (r *table.Recovery, unproven string, err error) {
	if f.cfg.States < 0 {
		return nil, "no exhaustive search was made", nil
	}
	states := cmp.Or(f.cfg.States, f.states())
	if f.searches.visited/mostLooks >= states {
		return nil, fmt.Sprintf("exhaustive searches were stopped after %s in total", textfmt.Plural(f.searches.visited, "state")), nil
	}
	sys := f.cfg.System
	if f.dead.bounded {
		if sys, path, err = withoutBound(&f.cfg.System, path); err != nil {
			return nil, "", err
		}
	}
	r, err = table.Recover(ctx, &sys, path, options.Options{
		World:     kernel.Options{Overdue: runloop.Overdue(f.cfg.HandlerLimit)},
		MaxStates: states, MaxBytes: defaultBytes, MaxDepth: deepest, Weightless: f.cfg.Weights.Weightless(), Calls: f.cfg.Calls,
	})
	if r != nil {
		f.searches.visited += r.States
	}
	var u *options.Unsupported
	switch {
	case errors.As(err, &u):
		return nil, "an exhaustive search is not possible: " + u.Why, nil
	case err != nil:
		return nil, "", err
	case ctx.Err() != nil:
		return nil, "", ctx.Err()
	case r.Path != nil && f.cfg.Calls.HasSkipped():
		return nil, "", &Ended{Finding: contain.GivenUp(), Path: r.Path, Overdue: true}
	case r.Live != nil && f.dead.bounded:
		return nil, "an exhaustive search with unbounded delays finds a live state, and with bounded ones none is possible", nil
	case r.Live != nil || r.Closed:
		return r, "", nil
	case r.Stopped == table.StoppedFinding, r.Stopped == table.StoppedViolation:
		return r, fmt.Sprintf("an exhaustive search was stopped by another finding: %v", r.Finding), nil
	}
	text := fmt.Sprintf("an exhaustive search found no live state among %s", textfmt.Plural(r.States, "state"))
	switch r.Stopped {
	case explore.StoppedStates:
		text += " and stopped at this limit"
	case explore.StoppedDepth:
		text += fmt.Sprintf(" and stopped at its limit of %d steps", deepest)
	case table.StoppedSampled:
		text += ", but tried only a sample of the values of some draws"
	case explore.StoppedMemory:
		text += fmt.Sprintf(" and stopped at its limit of %d MB", defaultBytes>>20)
	}
	return r, text, nil
}

// withoutBound returns a path of the system without a bound of delays to the same state. Whatever follows with the bound
// can also follow without it, so a run is dead with the bound if it is without.
func withoutBound(bounds *sim.System, path choose.Path) (sys sim.System, unbound choose.Path, err error) {
	sys = *bounds
	sys.Timing = sim.ByDeadline
	from, err := kernel.NewWorld(bounds, kernel.Options{Guarded: true})
	if err != nil {
		return sys, nil, err
	}
	to, err := kernel.NewWorld(&sys, kernel.Options{Guarded: true})
	if err != nil {
		return sys, nil, err
	}
	src, bounded, run := &choose.Prefix{Path: path}, replay.NewRun(from), replay.NewRun(to)
	err = bounded.Start(src)
	first := 0
	if bounds.Timing.Sometimes() {
		first = 1 // the answer that delays are bounded
	}
	picks := func(from int) choose.Source { return &choose.Prefix{Path: path[from:src.Pos()]} }
	if err == nil {
		err = run.Start(picks(first))
	}
	for err == nil && !src.Done() {
		i, _ := src.Take()
		ev, ok := bounded.Event(i)
		if !ok {
			break
		}
		at := slices.Index(to.Enabled(), ev)
		if ev.Kind.Injection() {
			at = len(to.Enabled()) + slices.Index(to.Injections(nil), ev)
		}
		begin := src.Pos()
		if err = bounded.Step(i, src); err == nil {
			err = run.Step(at, picks(begin))
		}
	}
	if err == nil && src.Err() != nil || err == nil && !src.Done() {
		err = errors.New("the path does not fit the system")
	}
	if err != nil {
		return sys, nil, &MismatchError{fmt.Errorf("critical: without a bound of delays: %w", err)}
	}
	return sys, run.Path[:min(len(run.Path), len(path)-first)], nil
}

// states returns the default maximum number of visited states.
func (f *finder) states() int {
	if declared.CarriesAny(&f.cfg.System) {
		return programStates
	}
	return defaultStates
}

// recoversExactly reports whether an exhaustive search finds a live successor of a step, after walks found none. If
// one step has too many successors to search, no others are searched: states grow along a run that does not
// recover, and so does their cost. Findings on the way do not matter to that.
func (f *finder) recoversExactly(ctx context.Context, step int) (bool, error) {
	if f.searches.tooManyStates {
		return false, nil
	}
	r, err := f.examine(ctx, step)
	if err != nil {
		return false, err
	}
	f.searches.tooManyStates = r == nil || r.Live == nil && !exhausted(r)
	return r != nil && r.Live != nil, nil
}

// exhausted reports whether every state that can be visited was: r is Closed, or the rest lies behind violations. The
// latter does not prove the run dead, in contrast to Dead of r, which is Closed without a live state.
func exhausted(r *table.Recovery) bool { return r.Closed || r.Stopped == table.StoppedViolation }

// onlySearchRecovers reports whether the end of the run recovers, although no walk did.
func (f *finder) onlySearchRecovers() bool {
	r := f.searches.byStep[f.dead.steps()]
	return r != nil && r.Live != nil
}

// prove sets how the run is known to be dead.
func (f *finder) prove(res *Result) {
	res.Proof = Walks
	for _, step := range []int{res.Step, res.After.Step, f.dead.steps()} {
		if f.searches.proven(step) && (step > 0 || res.Case == DeadFromStart || res.Case == Unlocated) {
			r := f.searches.byStep[step]
			res.Proof, res.States, res.ProvenAt = Exact, r.States, step
			if r.Failed != nil {
				res.Failing = r.Failed.Error()
			}
			return
		}
	}
	res.Unproven = f.searches.unproven
}

// save stores a run that recovers.
func (f *finder) save(path choose.Path, violates bool) {
	n := nearestLive{path: path, violates: violates}
	for n.choices < min(len(path), len(f.dead.path)) && path[n.choices] == f.dead.path[n.choices] {
		n.choices++
	}
	for n.common < f.dead.steps() && f.dead.end(n.common+1) <= n.choices {
		n.common++
	}
	f.keepLive(&n)
}
