package table

import (
	"cmp"
	"context"
	"errors"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/statespace"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/internal/table/store"
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
// The error is that of [world.New], or [*Unsupported] when the state tables do not support a state, or that path does not fit.
func Recover(ctx context.Context, sys *sim.System, path choose.Path, opts options.Options) (*Recovery, error) {
	return options.Guard(ctx, opts, func(ctx context.Context, opts options.Options) (*Recovery, error) {
		return recovery(ctx, sys, path, opts)
	})
}

func recovery(ctx context.Context, sys *sim.System, path choose.Path, opts options.Options) (*Recovery, error) {
	e, err := steptree.NewEngine(sys, opts.World, opts.Calls)
	if err != nil {
		return nil, err
	}
	g := statespace.NewGraph(e, opts.Weightless)
	if len(g.World.Properties.Eventually) == 0 {
		return nil, errors.New("table: the system has no Eventually property, so that no state is dead")
	}
	g.Onward, g.Configs.TolerateFailures = &statespace.Onward{Path: path}, true
	loop, err := (&options.Options{MaxDepth: opts.MaxDepth, MaxStates: opts.MaxStates, MaxBytes: opts.MaxBytes, Reducer: recoveryOnly{}}).Loop(g, untilLive{})
	if err != nil {
		return nil, err
	}
	opts.Calls.NextRound()
	g.LimitBy(func() error { return loop.Limit(ctx) })
	x := loop.Run(ctx)
	g.LimitBy(nil)
	out := &Recovery{States: x.States, Stopped: x.Stopped}
	if len(g.Sampled()) > 0 && out.Stopped == "" {
		out.Stopped = "sampled"
	}
	var u *options.Unsupported
	switch {
	case errors.Is(x.Err, statespace.ErrLive):
		out.Live, out.Stopped = g.PathTo(&x), "live"
		if out.Live == nil {
			out.Live = choose.Path{} // the start
		}
	case errors.As(x.Err, &u), errors.Is(x.Err, statespace.ErrNoFit):
		return nil, x.Err
	case x.Err != nil:
		if out.Stopped, out.Finding = "finding", x.Err; store.IsOverdue(x.Err) {
			out.Path = g.PathTo(&x)
		}
	case g.Onward.Violated != nil || g.Configs.Unseen != nil:
		out.Stopped, out.Finding = cmp.Or(out.Stopped, "violation"), cmp.Or(g.Onward.Violated, g.Configs.Unseen)
	default:
		out.Closed = out.Stopped == ""
	}
	out.Failed = g.Onward.Failed
	return out, nil
}

// untilLive is a judge that ends an exploration at the first live state.
type untilLive struct{}

// NeedsEdges implements [explore.Analyze].
func (untilLive) NeedsEdges(uint32) bool { return false }

// Visit implements [explore.Analyze].
func (untilLive) Visit(_ uint32, live bool, _ uint8) error {
	if live {
		return statespace.ErrLive
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
func (recoveryOnly) Sufficient(_ []uint32, row graph.Row, keep []uint32) []uint32 {
	for k := range row.Len() {
		if row.Note(k)&graph.Recovery != 0 {
			keep = append(keep, uint32(k))
		}
	}
	return keep
}

// Rest implements [explore.Reducer].
func (recoveryOnly) Rest([]uint32, bool) bool { return false }
