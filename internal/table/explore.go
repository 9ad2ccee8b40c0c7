package table

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/table/audit"
	"github.com/macemc/macemc/internal/table/crashes"
	"github.com/macemc/macemc/internal/table/fairness"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/por"
	"github.com/macemc/macemc/internal/table/statespace"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/internal/table/symmetry"
	"github.com/macemc/macemc/internal/table/world"
	"github.com/macemc/macemc/sim"
)

// Exploration is what [Explore] came to.
type Exploration struct {
	States      int // distinct states
	Transitions int // steps: an event with the answers to its questions, from every state that was expanded
	Live        int // states in which all Eventually properties hold
	Expanded    int // states all of whose steps were executed: breadth first those that were found first
	Depth       int // steps to the states that were expanded last, all that are nearer being expanded; depth first to the farthest; 0 when unknown
	Complete    bool
	Stopped     string // why it is not complete: "depth", "states", "memory", "interrupted", "finding", "sampled", [crashes.StoppedCrashes]
	// Finding is what is wrong with a state or step, mostly a [*sim.Finding]; nil: nothing. Path leads there,
	// breadth first by as few steps as possible, unless its kind is nondeterminism, a handler does not return (see [contain.Overdue]), or Reduced.Used is [options.ReduceFull].
	Finding error
	Path    choose.Path

	// LivenessChecked: it is known of every state whether some live state can be reached from it without faults
	// being injected, by events and answers that have weight. Else, and when the system has no Eventually property,
	// what follows is not set.
	LivenessChecked bool
	Dead            int         // states from which no live state can be reached
	DeadPath        choose.Path // to one of them, by as few steps as possible unless Reduced.Used is [options.ReduceFull]
	DeadCritical    int         // the last step of DeadPath, the critical one; 0: it is dead from the start
	DeadOutOfEvents bool        // a deadlock: nothing can happen there any more, but for faults and what disturbs

	// Fairness is nil when the system has no obligations, see [sim.System.Obligations].
	Fairness *fairness.Fairness

	// Sampled are the draws that were not enumerated, see [choose.Point.Sampled].
	Sampled choose.Samples

	// Omission bounds the probability that some state was taken for another one, and so it, and perhaps what
	// lies behind it, was not visited, or that a state was wrongly said to be dead, or not. 0: none was.
	Omission float64

	Bytes    int   // of memory for the set of states, with all that is kept for each
	Frontier int   // bytes, at most, of what is kept of states that wait to be expanded
	Disk     int64 // bytes, at most, that were on disk for want of memory
	Reduced  por.Reduced
	Crashes  *crashes.Crashes // nil: all were to be explored, or there are none
	Stats    steptree.Stats
	Plans    []store.Plan // how services and monitors were made for handlers to run on
	Coverage world.Coverage
	Grows    []statespace.Growth // what has grown, if the exploration stopped at a limit or was interrupted
}

// Explore visits all states that can be reached, injections within the limits of the system included, and checks the Always
// properties of each. It stops at the first finding. When all states were visited, it looks for those that are dead.
//
// With a frontier that does not take shortest ways, and MaxDepth, a state is passed over only if it was seen at the same or a smaller
// depth, else it is expanded once more: so all states within that many steps are visited, and Transitions counts the steps of
// each once. MaxDepth must be at most [stateset.Deepest] then.
//
// The error is that of [world.New], [*Unsupported] when a state turns up that the tables cannot hold, an [*explore.ChangedError] when what
// the checked code does is not what is in the log, or another one of the log. Then what was explored is returned as well.
func Explore(ctx context.Context, sys *sim.System, opts options.Options) (*Exploration, error) {
	return options.Guard(ctx, opts, func(ctx context.Context, opts options.Options) (*Exploration, error) {
		return exploreAll(ctx, sys, opts)
	})
}

func exploreAll(ctx context.Context, sys *sim.System, opts options.Options) (*Exploration, error) {
	e, err := steptree.NewEngine(sys, opts.World, opts.Calls)
	if err != nil {
		return nil, err
	}
	var log *audit.Log
	if opts.Log != nil {
		if log, err = audit.NewLog(e, opts.Log); err != nil {
			return nil, err
		}
	}
	var path choose.Path
	if !opts.SkipRehearsal {
		path, err = Rehearse(e)
		opts.Together = e.Together
	}
	e.Together = opts.Together
	err = cmp.Or(log.Err(), err)
	g := statespace.NewGraph(e, opts.Weightless)
	g.KnownViolations, g.Log = opts.Known, log
	g.World.ResetCoverage()
	x := &exploration{g: g, opts: &opts, crashes: crashes.Select(g, &opts)}
	x.reduction, x.told = por.New(g, &opts, symmetry.New)
	r := explore.Result{}
	switch {
	case err != nil:
	case x.crashes.Refused():
		r.Stopped = crashes.StoppedCrashes
	default:
		var refused error
		if r, refused = x.run(ctx); refused != nil {
			return nil, refused
		}
		if x.asymmetry != "" {
			return exploreAll(ctx, sys, opts.WithoutSymmetry(x.asymmetry))
		}
		if x.gaveUp {
			opts.Reduce, opts.SkipRehearsal, opts.GaveUp = options.ReduceDrop, true, true
			return exploreAll(ctx, sys, opts)
		}
		if len(x.crashSensitive) > 0 && opts.Crashes == options.CrashAuto {
			opts.SkipRehearsal, opts.CrashSensitive = true, append(slices.Clone(opts.CrashSensitive), x.crashSensitive...)
			return exploreAll(ctx, sys, opts)
		}
		x.judgeCrashes(&r)
		if err = r.Err; err != nil {
			path = x.found(&r)
		}
	}
	if x.refuted() {
		return exploreAll(ctx, sys, opts.WithoutSymmetry(x.asymmetry))
	}
	dead := x.dead
	out := x.result(&r)
	if dead != nil && dead.Checked && err == nil {
		dead.tell(out)
		if x.refuted() {
			return exploreAll(ctx, sys, opts.WithoutSymmetry(x.asymmetry))
		}
	}
	if x.fairCycles != nil {
		out.Fairness = x.fairCycles.Result(&r, ctx.Err() != nil)
	}
	if len(out.Sampled) > 0 && out.Stopped == "" {
		out.Stopped = "sampled"
	}
	if x.reduction != nil && x.reduction.Permuter != nil {
		x.reduction.Permuter.AddCoverage()
	}
	out.Stats, out.Plans, out.Coverage = g.World.Stats(), g.World.Plans(), g.World.Coverage()
	out.Coverage.ForeignTimes = g.Answers.ForeignTimes || g.Configs.Answers.ForeignTimes || x.reduction != nil && x.reduction.Answers.ForeignTimes
	switch {
	case errors.As(err, new(*options.Unsupported)), errors.As(err, new(*explore.ChangedError)), errors.As(err, new(*explore.LogError)):
		return out, err
	case err != nil:
		out.Stopped, out.Finding, out.Path = "finding", err, path
	case out.Stopped == "":
		out.Complete = true
	case out.Stopped != "sampled" && out.Stopped != crashes.StoppedCrashes:
		out.Grows = g.Configs.Growths()
	}
	return out, nil
}

// exploration is what is explored, perhaps several times.
type exploration struct {
	g              *statespace.Graph
	reduction      *por.ReducedGraph // nil: there is none
	opts           *options.Options
	told           por.Reduced
	crashes        *crashes.Crashes         // nil: none are left out
	crashSensitive []options.CrashSensitive // nodes whose crashes must not be
	gaveUp         bool                     // less is to be reduced
	asymmetry      string                   // packedVector is no symmetry, as this shows
	dead           *deadStates              // as judged last; nil: nothing was explored
	fairCycles     *fairness.FairCycles     // likewise; nil: nothing is owed, either
}

// result is what an exploration came to, but for what is found afterwards.
func (x *exploration) result(r *explore.Result) *Exploration {
	return &Exploration{
		Reduced: x.told, Crashes: x.crashes,
		States: r.States, Transitions: r.Transitions, Live: r.Live, Expanded: r.Expanded, Depth: r.Depth, Stopped: r.Stopped,
		Omission: r.Omission, Bytes: r.Bytes, Frontier: r.Frontier, Disk: r.Disk, Sampled: x.g.Sampled(),
	}
}

// refuted reports whether the nodes that were to be interchangeable are not.
func (x *exploration) refuted() bool {
	if r := x.reduction; r != nil && r.Permuter != nil {
		x.asymmetry = r.Permuter.Refutation()
	}
	return x.asymmetry != ""
}

// run explores. The error is about the options.
func (x *exploration) run(ctx context.Context) (out explore.Result, refused error) {
	for again := true; again; {
		again = false
		x.opts.Calls.NextRound()
		x.dead = &deadStates{g: x.g, reduced: x.reduction}
		x.fairCycles = fairness.NewFairCycles(x.g, x.opts.Reducer != nil || x.reduction != nil)
		if x.fairCycles != nil && x.opts.LabelSample > 0 {
			x.fairCycles.Compared = x.opts.LabelSample
		}
		judge, graph := judgesOf(x.dead.judge(), x.fairCycles), graph.Graph(x.g)
		if r := x.reduction; r != nil {
			r.Begin()
			judge, graph = &por.Analysis{Reduced: r, Inner: judge}, r
		}
		if x.opts.Wrap != nil {
			graph = x.opts.Wrap(graph)
		}
		limited, cancel, opts := x.reduction.Hurry(ctx, *x.opts)
		loop, err := opts.Loop(graph, judge)
		if err != nil {
			cancel()
			return out, err
		}
		x.g.LimitBy(func() error { return loop.Limit(limited) })
		out = loop.Run(limited)
		x.g.LimitBy(nil)
		x.g.World.Counters.Steps += out.Steps
		if r := x.reduction; r != nil && r.Permuter != nil && out.Err != nil {
			r.Permuter.CompareAll() // a finding is not believed otherwise
		}
		if r := x.reduction; !x.refuted() && r != nil {
			if x.gaveUp = r.GivesUp(ctx, limited, &out); !x.gaveUp {
				again = r.Again(ctx, &out)
			}
			if x.told = r.Summary(); r.KeepsAll() && r.Permuter == nil && x.g.World.Uncrashed == 0 {
				x.reduction = nil
			}
			if !again && !x.gaveUp && out.Complete && out.Err == nil && x.g.World.Uncrashed != 0 {
				x.g.LimitBy(func() error { return loop.Limit(limited) })
				x.crashSensitive = crashes.Sensitive(r)
				x.g.LimitBy(nil)
			}
		}
		cancel()
	}
	return out, nil
}

// found is the path to what was found.
func (x *exploration) found(r *explore.Result) choose.Path {
	if x.reduction != nil {
		return x.reduction.PathTo(r)
	}
	return x.g.PathTo(r)
}

// Rehearsal: so many random runs of so many steps.
const (
	rehearsals     = 8
	rehearsalSteps = 200
	togetherSteps  = 30 // of them tell what changes together: breadth first states are near the start
)

// Rehearse makes random runs on both engines, before anything is concluded from the tables: shortest paths
// take the same way to a state again and again, so that state which is not encoded would hardly show.
// The error is a finding of kind nondeterminism, about a changed message, or that a handler does not return, with the path to it, or
// [*Unsupported]; other findings are left to the exploration.
func Rehearse(e *steptree.Engine) (path choose.Path, err error) {
	w := world.NewOn(e)
	var events []sim.Event
	for k := range uint64(rehearsals) {
		random := choose.NewRandom(1, k)
		src := choose.SourceFunc(func(p choose.Point) int {
			pick := random.IntN(p.Arity) // weights do not matter to what is possible
			path = append(path, int32(pick))
			return pick
		})
		path = path[:0]
		w.CrossCheck = world.CrossCheck{Reference: w.CrossCheck.Reference, Strict: true}
		err := w.Start(src)
		for step := range rehearsalSteps {
			if err == nil {
				err = w.Check() // what is behind a violation is none of those who follow the path
				if err != nil && store.IsOverdue(err) && !e.Calls.Refuses() {
					return nil, nil // the exploration comes to it by fewer steps
				}
			}
			if err != nil {
				break
			}
			events = w.Injections(append(events[:0], w.Enabled()...))
			if len(events) == 0 {
				break
			}
			before := slices.Clone(w.Vector)
			err = w.Step(events[src(choose.Point{Arity: len(events)})], src)
			if step < togetherSteps {
				e.Together = append(e.Together, w.Layout.Differing(before, w.Vector))
			}
		}
		if _, unsupported := errors.AsType[*options.Unsupported](err); unsupported || store.NeedsReference(err) || store.IsOverdue(err) {
			return path, err
		}
	}
	return nil, nil
}

// judgeCrashes says what an exploration came to in which nodes did not crash.
func (x *exploration) judgeCrashes(r *explore.Result) {
	c := x.crashes
	if c == nil || x.g.World.Uncrashed == 0 {
		return
	}
	c.Proven = r.Complete && r.Err == nil && len(x.crashSensitive) == 0
	if c.Proven {
		return
	}
	c.CrashSensitive = append(c.CrashSensitive, x.crashSensitive...)
	if r.Depth = 0; r.Complete && r.Err == nil {
		r.Complete, r.Stopped = false, crashes.StoppedCrashes
	}
}
