package critical

import (
	"context"
	"errors"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/search/runloop"
)

// equals finds the steps of the dead run that recover because a live run visits an equal state. Walks are random, so those
// from one of two equal states may recover while those from the other do not.
type equals struct {
	runs         []choose.Path                     // live runs that are not indexed yet
	recoveries   map[encoding.Fingerprint]recovery // by state
	fingerprints map[int]encoding.Fingerprint      // by step of the dead run
	recovering   []int                             // steps of the dead run
}

func newEquals() equals {
	return equals{recoveries: map[encoding.Fingerprint]recovery{}, fingerprints: map[int]encoding.Fingerprint{}}
}

// recovery is the part of a live run from a state on, by the recovery relation.
type recovery struct {
	run choose.Path
	pos int // length of the path to the state
}

// recoversAsEqual reports whether a live run visits the state after a step, and its picks from there on lead from this step
// to a live state, too.
func (f *finder) recoversAsEqual(ctx context.Context, step int) (bool, error) {
	e := &f.equals
	switch {
	case slices.Contains(e.recovering, step):
		return true, nil
	case len(e.runs) == 0 && len(e.recoveries) == 0:
		return false, nil
	}
	for _, run := range e.runs {
		states, err := f.trace(ctx, nil, run)
		if err != nil {
			return false, err
		}
		for _, s := range states {
			e.recoveries[s.state] = recovery{run, s.pos} // the last visit is closest to the live state
		}
	}
	e.runs = nil
	state, ok := e.fingerprints[step]
	if !ok {
		states, err := f.trace(ctx, f.dead.prefix(step), nil)
		if err != nil || len(states) == 0 {
			return false, err
		}
		state = states[0].state
		e.fingerprints[step] = state
	}
	r, ok := e.recoveries[state]
	if !ok {
		return false, nil
	}
	w := f.prober.workers[0]
	o, err := f.prober.walk(ctx, w, slices.Concat(f.dead.prefix(step), r.run[r.pos:]), 0, 0)
	switch mismatch := (*MismatchError)(nil); {
	case errors.As(err, &mismatch):
		return false, nil // the encoding lacks a part of the state
	case err != nil || !f.isLive(w.loop, &o):
		return false, err
	}
	f.save(w.loop.Replay().Path.Clone(), o.End == runloop.Found)
	e.recovering = append(e.recovering, step)
	return true, nil
}

// trace executes a run to the end of path, and then by the picks of rest. It returns the states from the end of path on, or
// from the last step that is outside the recovery relation.
func (f *finder) trace(ctx context.Context, path, rest choose.Path) ([]visit, error) {
	t := &tracer{ctx: ctx, rest: choose.Prefix{Path: rest}, weight: f.prober.scale.WeightOf}
	switch o := f.prober.workers[0].loop.Run(t, runloop.Task{Path: path}); {
	case o.Stuck != nil:
		return nil, stuckIn(&o)
	case o.End == runloop.Stopped:
		return nil, ctx.Err()
	}
	return t.visits, nil
}

// visit is a state of a run.
type visit struct {
	state encoding.Fingerprint
	pos   int // length of the path to it
}

// tracer is the strategy of trace.
type tracer struct {
	ctx    context.Context
	rest   choose.Prefix
	weight func(*netmodel.Event) int
	visits []visit
}

func (t *tracer) Next() (runloop.Task, bool) { return runloop.Task{}, false }

func (t *tracer) Select(at *runloop.Node) runloop.Selection {
	if len(t.visits) > 0 && t.outside(at) {
		t.visits = t.visits[:0]
	}
	t.visits = append(t.visits, visit{at.Fingerprint(), len(at.Run.Path)})
	switch {
	case t.rest.Err() != nil:
		return runloop.Selection{End: runloop.Unanswered}
	case t.rest.Done():
		return runloop.Selection{End: runloop.AtBound}
	case t.ctx.Err() != nil:
		return runloop.Selection{End: runloop.Stopped}
	}
	return runloop.Selection{Faults: true}
}

// outside reports whether the step to a state is outside the recovery relation.
func (t *tracer) outside(at *runloop.Node) bool {
	last := at.Run.World.Last()
	return last.Event.Kind.Injection() || last.Crashed || last.Disturbs || at.Unlikely || t.weight(&last.Event) == 0
}

func (t *tracer) Choose(_ *runloop.Node, p choose.Point) (int, bool) {
	pick := t.rest.Choose(p)
	return pick, t.rest.Err() == nil
}

func (t *tracer) Ended(*runloop.Outcome) {}
