package table

import (
	"context"
	"errors"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/explore"
	"github.com/macemc/macemc/sim"
)

// Recovery is what [Recover] came to.
type Recovery struct {
	Live    choose.Path // to a live state, by as few steps as possible from where it began; nil: none was met
	Closed  bool        // all states that follow were visited
	States  int         // that were visited, the first included
	Stopped string      // why they are not all: "depth", "states", "memory", "interrupted", "sampled", "live" or "finding"
	Finding error       // what is wrong with a state or step that was met; nil: nothing
	Path    choose.Path // to checked code that does not return; nil: that is not what Finding says
}

// Dead reports whether it is certain that no live state follows.
func (r *Recovery) Dead() bool { return r.Closed && r.Live == nil }

// Recover visits the states that follow the one at the end of path by the recovery relation (no injections, and
// events and answers that have weight), until one is live. When path ends inside a step, the rest of that is answered
// in all ways that have weight. Of opts MaxDepth, MaxStates, MaxBytes, Weightless, Calls and World count.
//
// The error is that of [NewWorld], or [*Unsupported] when the tables cannot hold a state, or that path does not fit.
func Recover(ctx context.Context, sys *sim.System, path choose.Path, opts ExploreOptions) (*Recovery, error) {
	return guarded(ctx, opts, func(ctx context.Context, opts ExploreOptions) (*Recovery, error) {
		return recovery(ctx, sys, path, opts)
	})
}

func recovery(ctx context.Context, sys *sim.System, path choose.Path, opts ExploreOptions) (*Recovery, error) {
	e, err := newEngine(sys, opts.World, opts.Calls)
	if err != nil {
		return nil, err
	}
	g := newGraph(e, opts.Weightless)
	if len(g.w.properties.eventually) == 0 {
		return nil, errors.New("table: the system has no Eventually property, so that no state is dead")
	}
	g.onward = &onward{path: path}
	loop, err := (&ExploreOptions{MaxDepth: opts.MaxDepth, MaxStates: opts.MaxStates, MaxBytes: opts.MaxBytes, Reducer: recoveryOnly{}}).loop(g, untilLive{})
	if err != nil {
		return nil, err
	}
	opts.Calls.next()
	g.limitBy(func() error { return loop.Limit(ctx) })
	x := loop.Run(ctx)
	g.limitBy(nil)
	out := &Recovery{States: x.States, Stopped: x.Stopped}
	if len(g.sampled()) > 0 && out.Stopped == "" {
		out.Stopped = "sampled"
	}
	var u *Unsupported
	switch {
	case errors.Is(x.Err, errLive):
		out.Live, out.Stopped = g.found(&x), "live"
		if out.Live == nil {
			out.Live = choose.Path{} // the start
		}
	case errors.As(x.Err, &u), errors.Is(x.Err, errNoFit):
		return nil, x.Err
	case x.Err != nil:
		if out.Stopped, out.Finding = "finding", x.Err; overdue(x.Err) {
			out.Path = g.found(&x)
		}
	case g.onward.violated != nil:
		out.Stopped, out.Finding = "finding", g.onward.violated
	default:
		out.Closed = out.Stopped == ""
	}
	return out, nil
}

// untilLive is a judge that ends an exploration at the first live state.
type untilLive struct{}

// Wants implements [explore.Judge].
func (untilLive) Wants(uint32) bool { return false }

// Met implements [explore.Judge].
func (untilLive) Met(_ uint32, live bool, _ uint8) error {
	if live {
		return errLive
	}
	return nil
}

// Judge implements [explore.Judge].
func (untilLive) Judge(context.Context, *explore.Space) error { return nil }

// Bytes implements [explore.Judge].
func (untilLive) Bytes() int { return 0 }

// recoveryOnly is a reducer that leaves out the steps that do not belong to the recovery relation.
type recoveryOnly struct{}

// Sufficient implements [explore.Reducer].
func (recoveryOnly) Sufficient(_ []uint32, row explore.Row, keep []uint32) []uint32 {
	for k := range row.Len() {
		if row.Note(k)&explore.Recovery != 0 {
			keep = append(keep, uint32(k))
		}
	}
	return keep
}

// Rest implements [explore.Reducer].
func (recoveryOnly) Rest([]uint32, bool) bool { return false }

var (
	errLive  = errors.New("a live state was met")
	errNoFit = errors.New("table: the path does not fit the system")
)

// onward has an exploration begin at the end of a path, and take the steps of the recovery relation only.
type onward struct {
	path     choose.Path
	violated error // the first violation of an Always property, behind which nothing is visited
}

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

// ordinary reports whether an event that can happen in the state of the world can be one of the recovery relation.
func (w *World) ordinary(ev sim.Event) bool { return w.recovers(ev.Kind) && !w.Disturbs(ev) }

// recovers reports whether events of a kind can be of the recovery relation.
func (e *engine) recovers(kind sim.EventKind) bool {
	return !kind.Injection() && e.weightless>>kind&1 == 0
}

// Disturbs implements [kernel.World].
func (w *World) Disturbs(ev sim.Event) bool {
	d := w.disturbing
	switch {
	case d.Event(ev):
		return true
	case !d.Asks(ev.Kind):
		return false
	case ev.Kind == sim.FireTimer:
		return d.Hands(ev.Kind, w.locals.list[w.v[ev.Node]].state.Timer(ev.Slot))
	}
	var buf [1]sim.Envelope
	msgs := w.Messages(ev, buf[:0])
	return len(msgs) > 0 && d.Hands(ev.Kind, msgs[0].Msg)
}
