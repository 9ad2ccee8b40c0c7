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

// Recovery is the result of [Recover].
type Recovery struct {
	Live   choose.Path // shortest path to a live state, from the end of the given path; nil if none was visited
	Closed bool        // all states that can be reached without failing steps were visited
	States int         // number of visited states, the first included
	// Stopped is why some states were not visited. StoppedFinding means that checked code did not return or cannot be
	// searched, StoppedViolation that the rest may lie behind the violation in Finding.
	Stopped string
	// Finding is nil, or one of
	//   - the violation in a visited state, whose successors were not visited,
	//   - the failure of a step that makes choices in an endless loop, of which not all were tried,
	//   - the error that ended the search.
	Finding error
	// Failed is the finding of the first step that fails, or nil.
	Failed error
	Path   choose.Path // to checked code that does not return; nil otherwise
}

// Dead reports whether it is certain that no live state follows. A failing step leads to no state: its run ends
// with a finding of its own, so it never recovers.
func (r *Recovery) Dead() bool { return r.Closed && r.Live == nil }

// Recover visits the successors of the state at the end of path by the recovery relation (no faults; only events
// and answers with a positive weight) until one is live. If path ends inside a step, the rest of the step is
// answered in all ways with a positive weight. A step that fails (panic, failed assertion or another finding) leads
// nowhere. The search continues with other steps unless checked code does not return. Successors of a state that
// violates an Always property, or on which a property fails, are not visited. Then death is not certain. Recover
// uses only MaxDepth, MaxStates, MaxBytes, Weightless, Calls and World of opts.
//
// The error is that of [world.New], or [*options.Unsupported] if the tables do not support a state or path does not fit the
// system.
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
	loop, err := (&options.Options{MaxDepth: opts.MaxDepth, MaxStates: opts.MaxStates, MaxBytes: opts.MaxBytes,
		Reducer: recoveryOnly{}}).Loop(g, untilLive{})
	if err != nil {
		return nil, err
	}
	opts.Calls.NextRound()
	g.LimitBy(func() error { return loop.Limit(ctx) })
	x := loop.Run(ctx)
	g.LimitBy(nil)
	out := &Recovery{States: x.States, Stopped: x.Stopped}
	if len(g.Sampled()) > 0 && out.Stopped == "" {
		out.Stopped = StoppedSampled
	}
	var u *options.Unsupported
	switch {
	case errors.Is(x.Err, statespace.ErrLive):
		out.Live, out.Stopped = g.PathTo(&x), StoppedLive
		if out.Live == nil {
			out.Live = choose.Path{} // the first state
		}
	case errors.As(x.Err, &u), errors.Is(x.Err, statespace.ErrNoFit):
		return nil, x.Err
	case x.Err != nil:
		if out.Stopped, out.Finding = StoppedFinding, x.Err; store.IsOverdue(x.Err) {
			out.Path = g.PathTo(&x)
		}
	case g.Onward.Violated != nil || g.Configs.Unseen != nil:
		out.Stopped, out.Finding = cmp.Or(out.Stopped, StoppedViolation), cmp.Or(g.Onward.Violated, g.Configs.Unseen)
	default:
		out.Closed = out.Stopped == ""
	}
	out.Failed = g.Onward.Failed
	return out, nil
}

// untilLive is an analysis that ends an exploration at the first live state.
type untilLive struct{}

// NeedsEdges implements [explore.Analysis].
func (untilLive) NeedsEdges(uint32) bool { return false }

// Visit implements [explore.Analysis].
func (untilLive) Visit(_ uint32, live bool, _ uint8) error {
	if live {
		return statespace.ErrLive
	}
	return nil
}

// Analyze implements [explore.Analysis].
func (untilLive) Analyze(context.Context, *explore.Space) error { return nil }

// Bytes implements [explore.Analysis].
func (untilLive) Bytes() int { return 0 }

// recoveryOnly is a reducer that keeps only the steps of the recovery relation.
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
