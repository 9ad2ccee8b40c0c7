package table

import (
	"cmp"
	"context"
	"errors"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/sim"
)

// Recovery is what [Recover] came to.
type Recovery struct {
	Live   choose.Path // to a live state, by as few steps as possible from where it began; nil: none was met
	Closed bool        // all states that follow by steps that go well were visited
	States int         // that were visited, the first included
	// Stopped is why they are not all: "depth", "states", "memory", "interrupted", "sampled", "live", "finding", when checked code did not
	// return, or is not what can be searched, or "violation", when there may be more only behind what Finding says.
	Stopped string
	// Finding is what is wrong with a state that was met, behind which nothing was visited, how a step fails that asks in a loop without end, not all answers
	// to which were tried, or what ended the search; nil: nothing of that.
	Finding error
	// Failed is the finding that the first step that fails ends with; nil: none of those that were met fails.
	Failed error
	Path   choose.Path // to checked code that does not return; nil: that is not what Finding says
}

// Dead reports whether it is certain that no live state follows. Steps that fail lead to no state: a run ends there with a finding of its
// own, so that none recovers by them.
func (r *Recovery) Dead() bool { return r.Closed && r.Live == nil }

// Recover visits the states that follow the one at the end of path by the recovery relation (no injections, and
// events and answers that have weight), until one is live. When path ends inside a step, the rest of that is answered
// in all ways that have weight. A step that fails, by a panic, a failed assertion or another finding, leads nowhere, and the search goes on
// beside it, unless checked code does not return. Behind a state that violates an Always property, or of which
// properties cannot tell, nothing is visited: then it is not certain that what follows is dead. Of opts MaxDepth, MaxStates, MaxBytes, Weightless, Calls and World count.
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
	g.onward, g.sites.tolerateFailures = &onward{path: path}, true
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
	case g.onward.violated != nil || g.sites.unseen != nil:
		out.Stopped, out.Finding = cmp.Or(out.Stopped, "violation"), cmp.Or(g.onward.violated, g.sites.unseen)
	default:
		out.Closed = out.Stopped == ""
	}
	out.Failed = g.onward.failed
	return out, nil
}

// untilLive is a judge that ends an exploration at the first live state.
type untilLive struct{}

// NeedsEdges implements [explore.Analyze].
func (untilLive) NeedsEdges(uint32) bool { return false }

// Visit implements [explore.Analyze].
func (untilLive) Visit(_ uint32, live bool, _ uint8) error {
	if live {
		return errLive
	}
	return nil
}

// Analyze implements [explore.Analyze].
func (untilLive) Analyze(context.Context, *explore.Space) error { return nil }

// Bytes implements [explore.Analyze].
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
	open     bool                // the step that path ends inside was asked more than it answers
	violated error               // what is wrong with the first state with which something is, behind which nothing is visited
	failed   error               // likewise of steps of the recovery relation, which lead nowhere
	wrong    map[string]struct{} // states with which something is wrong, packed
	size     int                 // of these, in bytes
}

// fail notes that a step failed.
func (o *onward) fail(err error) { o.failed = cmp.Or(o.failed, err) }

// bar notes that something is wrong with a state.
func (o *onward) bar(state []uint32, err error) {
	if o.wrong == nil {
		o.wrong = map[string]struct{}{}
	}
	o.violated = cmp.Or(o.violated, err)
	key := keyOf(state)
	o.wrong[key] = struct{}{}
	o.size += len(key) + wrongSize
}

// wrongSize is about what an entry of a map takes beside its key.
const wrongSize = 32

// bars reports whether something is wrong with a state.
func (o *onward) bars(state []uint32) bool {
	if len(o.wrong) == 0 {
		return false
	}
	_, ok := o.wrong[keyOf(state)]
	return ok
}

// bytes is the memory that is kept. Nil keeps none.
func (o *onward) bytes() int {
	if o == nil {
		return 0
	}
	return o.size
}

// execute goes to the end of the path; more answers what that leaves open of its last step. usual is false when that takes what is not in the recovery relation.
func (o *onward) execute(w *World, more choose.Source) (usual bool, err error) {
	defer w.samples.pause()()
	pos, crashes := 0, false
	o.open = false
	src := choose.SourceFunc(func(p choose.Point) int {
		if pos < len(o.path) {
			pos++
			return int(o.path[pos-1])
		}
		pick := more.Choose(p)
		o.open, crashes = true, crashes || p.Kind.Class() == choose.Fault && pick != 0
		return pick
	})
	if err := w.start(src); err != nil {
		return !crashes, err
	}
	for pos < len(o.path) {
		w.derive()
		events := w.list(nil)
		if o.open || int(o.path[pos]) >= len(events) {
			return false, errNoFit
		}
		ev := events[o.path[pos]]
		pos++
		if err := w.advance(&ev, src); err != nil {
			return !crashes, err
		}
	}
	return !crashes, nil
}
