package table

import (
	"context"
	"errors"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/sim"
)

// Recovery is what [Recover] came to.
type Recovery struct {
	Live    choose.Path // to a live state, by as few steps as possible from where it began; nil: none was met
	Closed  bool        // all states that follow were visited
	States  int         // that were visited, the first included
	Stopped string      // why they are not all: "depth", "states", "memory", "interrupted", "sampled", "live" or "finding"
	Finding error       // what is wrong with a state or step that was met; nil: nothing
}

// Dead reports whether it is certain that no live state follows.
func (r *Recovery) Dead() bool { return r.Closed && r.Live == nil }

// Recover visits the states that follow the one at the end of path by the recovery relation (no injections, and
// events and answers that have weight), until one is live. When path ends inside a step, the rest of that is answered
// in all ways that have weight. Of opts MaxDepth, MaxStates, MaxBytes, Weightless and World count.
//
// The error is that of [NewWorld], or [*Unsupported] when the tables cannot hold a state, or that path does not fit.
func Recover(ctx context.Context, sys *sim.System, path choose.Path, opts ExploreOptions) (*Recovery, error) {
	return guarded(ctx, opts, func(ctx context.Context, opts ExploreOptions) (*Recovery, error) {
		return recovery(ctx, sys, path, opts)
	})
}

func recovery(ctx context.Context, sys *sim.System, path choose.Path, opts ExploreOptions) (*Recovery, error) {
	if err := opts.validate(); err != nil {
		return nil, err
	}
	e, err := newEngine(sys, opts.World)
	if err != nil {
		return nil, err
	}
	x := newExplorer(e, ExploreOptions{World: opts.World, MaxDepth: opts.MaxDepth, MaxStates: opts.MaxStates, MaxBytes: opts.MaxBytes, Weightless: opts.Weightless})
	defer x.close()
	if len(x.w.properties.eventually) == 0 {
		return nil, errors.New("table: the system has no Eventually property, so that no state is dead")
	}
	x.goals, x.onward = false, &onward{path: path}
	x.limitBy(ctx)
	err = x.stopped(x.run(ctx))
	x.unlimited()
	if len(x.sampled()) > 0 && x.out.Stopped == "" {
		x.out.Stopped = "sampled"
	}
	out := &Recovery{States: x.len(), Stopped: x.out.Stopped}
	var u *Unsupported
	switch {
	case errors.Is(err, errLive):
		out.Live, out.Stopped = x.path(x.bad, -1, nil), "live"
		if out.Live == nil {
			out.Live = choose.Path{} // the start
		}
	case errors.As(err, &u), errors.Is(err, errNoFit):
		return nil, err
	case err != nil:
		out.Stopped, out.Finding = "finding", err
	default:
		out.Closed = out.Stopped == ""
	}
	return out, nil
}

var (
	errLive  = errors.New("a live state was met")
	errNoFit = errors.New("table: the path does not fit the system")
)

// onward has an exploration begin at the end of a path, and take the steps of the recovery relation only.
type onward struct{ path choose.Path }

// execute goes to the end of the path; more answers what that leaves open of its last step. usual is false when that takes what is not in the recovery relation.
func (o *onward) execute(w *World, more choose.Source) (usual bool, err error) {
	defer w.samples.pause()()
	pos, open, crashes := 0, false, false
	src := choose.SourceFunc(func(p choose.Point) int {
		if pos < len(o.path) {
			pos++
			return int(o.path[pos-1])
		}
		pick := more.Choose(p)
		open, crashes = true, crashes || p.Kind == choose.Fault && pick != 0
		return pick
	})
	if err := w.start(src); err != nil {
		return false, err
	}
	for pos < len(o.path) {
		w.derive()
		events := w.list(nil)
		if open || int(o.path[pos]) >= len(events) {
			return false, errNoFit
		}
		ev := events[o.path[pos]]
		pos++
		if err := w.advance(ev, src); err != nil {
			return false, err
		}
	}
	return !crashes, nil
}

// keepOrdinary leaves out the transitions from one on that do not belong to the recovery relation.
func (f *successors) keepOrdinary(from int) {
	begin := uint32(0)
	if from > 0 {
		begin = f.ends[from-1]
	}
	kept, changes := from, begin
	for t := from; t < len(f.ends); t++ {
		end := f.ends[t]
		if f.notes[t]&noteOrdinary != 0 {
			changes += uint32(copy(f.changes[changes:], f.changes[begin:end]))
			f.ends[kept], f.notes[kept], f.prints[kept] = changes, f.notes[t], f.prints[t]
			kept++
		}
		begin = end
	}
	f.ends, f.notes, f.prints, f.changes = f.ends[:kept], f.notes[:kept], f.prints[:kept], f.changes[:changes]
	if n := len(f.last); n > 0 {
		f.last[n-1] = uint32(kept)
	}
}
