package table

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/netmodel"
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

// More reasons why an [Exploration] or a [Recovery] is not complete.
const (
	StoppedFinding   = "finding"
	StoppedSampled   = "sampled"   // only some alternatives of large draws were explored
	StoppedViolation = "violation" // recovery: states after violations were not visited
	StoppedLive      = "live"      // recovery: a live state was reached
)

// Explorer visits all states of a system, under the contract of [Explore].
type Explorer func(context.Context, *sim.System, options.Options) (*Exploration, error)

// Exploration is the result of [Explore]. It has a field for the result of each analysis. The fields of analyses that
// were not requested are zero.
type Exploration struct {
	States      int // distinct states
	Transitions int // steps: an event with the answers to its questions, from every expanded state
	Live        int // states in which all Eventually properties hold
	Expanded    int // states with all steps executed; breadth first, those that were found first
	// Depth is, breadth first, the distance of the states that were expanded last, with all nearer ones expanded;
	// depth first, the greatest distance; 0 when unknown.
	Depth    int
	Complete bool
	Stopped  string // why it is incomplete: one of the constants here, in package explore, or [crashes.StoppedCrashes]
	// Finding is the violation or failure of a state or step, mostly a [*sim.Finding], or nil. Path leads there.
	// Breadth first it is a shortest path, unless the finding has kind nondeterminism, a handler does not return
	// (see [contain.Overdue]), or Reduced.Used is [options.ReduceFull].
	Finding error
	Path    choose.Path

	// LivenessChecked reports whether each state is known to be dead or not: whether a live state can be reached
	// from it without faults, by events and answers with a positive weight. Otherwise, and when the system has no
	// Eventually property, the fields up to DeadOutOfEvents are not set.
	LivenessChecked bool
	Dead            int         // states from which no live state can be reached
	DeadPath        choose.Path // to one of them; shortest, unless Reduced.Used is [options.ReduceFull]
	DeadCritical    int         // index of the last step of DeadPath, the critical one; 0 if the initial state is dead
	DeadOutOfEvents bool        // deadlock: only faults and disturbances are enabled in the dead state

	// Fairness is nil when the system has no obligations, see [sim.System.Obligations].
	Fairness *fairness.Fairness

	// Sampled are the draws that were not enumerated, see [choose.Point.Sampled].
	Sampled choose.Samples

	// Omission bounds the probability that two states were confused, so that one of them, and perhaps its
	// successors, was not visited, or that a state was wrongly judged dead or not. 0 means that none were.
	Omission float64

	Bytes    int   // memory of the set of states with all that is stored for each
	Frontier int   // maximum size in bytes of the queue of states that wait for expansion
	Disk     int64 // maximum size in bytes on disk
	Reduced  por.Reduced
	Crashes  *crashes.Crashes // nil if all crashes were explored, or there are none
	Stats    steptree.Stats
	Plans    []store.Plan // how services and monitors were copied for handlers
	Coverage world.Coverage
	Grows    []statespace.Growth // the components that grew, if the exploration stopped at a limit or was interrupted
}

// Explore visits all reachable states, with faults within the limits of the system, and checks the Always
// properties of each. It stops at the first finding. When all states were visited, it looks for dead ones.
//
// With MaxDepth and a frontier that does not take shortest paths, a state is expanded again when it is reached at a
// smaller depth. Thus all states within MaxDepth steps are visited, and Transitions counts the steps of each once.
// MaxDepth must be at most [stateset.Deepest] then.
//
// The error is that of [world.New], or [*options.Unsupported] if the tables cannot hold a state. It is an
// [*explore.ChangedError] if the checked code differs from that of the log, or another error of the log. The result
// holds the states explored so far.
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
		path, err = Rehearse(ctx, e)
		opts.Together = e.Together
	}
	e.Together = opts.Together
	err = cmp.Or(log.Err(), err)
	g := statespace.NewGraph(e, opts.Weightless)
	g.KnownViolations, g.Log = opts.Known, log
	g.World.ResetCoverage()
	x := &exploration{g: g, opts: &opts, crashes: crashes.Select(g, &opts)}
	x.reduction, x.reduced = por.New(g, &opts, symmetry.New)
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
			opts.Reduce, opts.SkipRehearsal, opts.TrialGaveUp = options.ReduceDrop, true, true
			return exploreAll(ctx, sys, opts)
		}
		if len(x.crashSensitive) > 0 && opts.Crashes == options.CrashAuto {
			opts.SkipRehearsal, opts.CrashSensitive = true, append(slices.Clone(opts.CrashSensitive), x.crashSensitive...)
			return exploreAll(ctx, sys, opts)
		}
		x.concludeCrashes(&r)
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
		dead.report(out)
		if x.refuted() {
			return exploreAll(ctx, sys, opts.WithoutSymmetry(x.asymmetry))
		}
	}
	if x.fairCycles != nil {
		out.Fairness = x.fairCycles.Result(&r, ctx.Err() != nil)
	}
	if len(out.Sampled) > 0 && out.Stopped == "" {
		out.Stopped = StoppedSampled
	}
	if x.reduction != nil && x.reduction.Permuter != nil {
		x.reduction.Permuter.AddCoverage()
	}
	out.Stats, out.Plans, out.Coverage = g.World.Stats(), g.World.Plans(), g.World.Coverage()
	out.Coverage.ForeignTimes = g.Answers.ForeignTimes || g.Configs.Answers.ForeignTimes || x.reduction != nil &&
		x.reduction.Answers.ForeignTimes
	switch {
	case errors.As(err, new(*options.Unsupported)), errors.As(err, new(*explore.ChangedError)), errors.As(err, new(*explore.LogError)):
		return out, err
	case err != nil:
		out.Stopped, out.Finding, out.Path = StoppedFinding, err, path
	case out.Stopped == "":
		out.Complete = true
	case out.Stopped != StoppedSampled && out.Stopped != crashes.StoppedCrashes:
		out.Grows = g.Configs.Growths()
	}
	return out, nil
}

// exploration is the state of Explore, which may explore several times.
type exploration struct {
	g              *statespace.Graph
	reduction      *por.ReducedGraph // nil without reduction
	opts           *options.Options
	reduced        por.Reduced
	crashes        *crashes.Crashes         // nil if none are left out
	crashSensitive []options.CrashSensitive // nodes whose crashes must be explored
	gaveUp         bool                     // a weaker reduction is needed
	asymmetry      string                   // evidence against symmetry
	dead           *deadStates              // last analysis; nil if nothing was explored
	fairCycles     *fairness.FairCycles     // likewise; nil if there are no obligations, too
}

// result converts r, without the analyses that follow it.
func (x *exploration) result(r *explore.Result) *Exploration {
	return &Exploration{
		Reduced: x.reduced, Crashes: x.crashes,
		States: r.States, Transitions: r.Transitions, Live: r.Live, Expanded: r.Expanded, Depth: r.Depth, Stopped: r.Stopped,
		Omission: r.Omission, Bytes: r.Bytes, Frontier: r.Frontier, Disk: r.Disk, Sampled: x.g.Sampled(),
	}
}

// refuted reports whether nodes declared interchangeable are not.
func (x *exploration) refuted() bool {
	if r := x.reduction; r != nil && r.Permuter != nil {
		x.asymmetry = r.Permuter.Refutation()
	}
	return x.asymmetry != ""
}

// run explores, again with weaker reductions where needed. The error is about the options.
func (x *exploration) run(ctx context.Context) (out explore.Result, refused error) {
	for again := true; again; {
		again = false
		x.opts.Calls.NextRound()
		x.dead = &deadStates{g: x.g, reduced: x.reduction}
		x.fairCycles = fairness.NewFairCycles(x.g, x.opts.Reducer != nil || x.reduction != nil)
		if x.fairCycles != nil && x.opts.LabelSample > 0 {
			x.fairCycles.Compared = x.opts.LabelSample
		}
		analysis, graph := analysesOf(x.dead.analysis(), x.fairCycles), graph.Graph(x.g)
		if r := x.reduction; r != nil {
			r.Begin()
			analysis, graph = &por.Analysis{Reduced: r, Inner: analysis}, r
		}
		if x.opts.Wrap != nil {
			graph = x.opts.Wrap(graph)
		}
		limited, cancel, opts := x.reduction.Trial(ctx, *x.opts)
		loop, err := opts.Loop(graph, analysis)
		if err != nil {
			cancel()
			return out, err
		}
		x.g.LimitBy(func() error { return loop.Limit(limited) })
		out = loop.Run(limited)
		x.g.LimitBy(nil)
		x.g.World.Counters.Steps += out.Steps
		if r := x.reduction; r != nil && r.Permuter != nil && out.Err != nil {
			r.Permuter.CompareAll() // confirm the finding without sampling
		}
		if r := x.reduction; !x.refuted() && r != nil {
			if x.gaveUp = r.GivesUp(ctx, limited, &out); !x.gaveUp {
				again = r.Again(ctx, &out)
			}
			if x.reduced = r.Summary(); r.KeepsAll() && r.Permuter == nil && x.g.World.Failures.NeverFail == 0 {
				x.reduction = nil
			}
			if !again && !x.gaveUp && out.Complete && out.Err == nil && x.g.World.Failures.NeverFail != 0 {
				x.g.LimitBy(func() error { return loop.Limit(limited) })
				x.crashSensitive = crashes.Sensitive(r)
				x.g.LimitBy(nil)
			}
		}
		cancel()
	}
	return out, nil
}

// found returns the path to the finding.
func (x *exploration) found(r *explore.Result) choose.Path {
	if x.reduction != nil {
		return x.reduction.PathTo(r)
	}
	return x.g.PathTo(r)
}

// Number and length of the random runs of Rehearse.
const (
	rehearsals     = 8
	rehearsalSteps = 200
	togetherSteps  = 30 // first steps of each, which show what changes together: breadth first most states are near the start
)

// Rehearse makes random runs on both engines before anything is concluded from the tables. Shortest paths reach a
// state in the same way again and again, so they would rarely expose state that is not encoded. The error is a
// finding of kind nondeterminism, a changed message, a handler that does not return, each with its path, or
// [*options.Unsupported]. Other findings are left to the exploration. It ends early when ctx is done.
func Rehearse(ctx context.Context, e *steptree.Engine) (path choose.Path, err error) {
	w := world.NewOn(e)
	var events []netmodel.Event
	for k := range uint64(rehearsals) {
		random := choose.NewRandom(1, k)
		src := choose.SourceFunc(func(p choose.Point) int {
			pick := random.IntN(p.Arity) // any pick is possible, whatever its weight
			path = append(path, int32(pick))
			return pick
		})
		path = path[:0]
		w.CrossCheck = world.CrossCheck{Reference: w.CrossCheck.Reference, Strict: true}
		err := w.Start(src)
		for step := range rehearsalSteps {
			if ctx.Err() != nil {
				return nil, nil
			}
			if err == nil {
				ok, stuck := w.AlwaysHold()
				if err = stuck; ok {
					err = w.Check()
				} else if err == nil {
					break // states behind a violation are not explored
				}
				if err != nil && store.IsOverdue(err) && !e.Calls.HasSkipped() {
					return nil, nil // the exploration finds a shorter path
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

// concludeCrashes decides whether the result of an exploration in which some nodes did not crash is valid.
func (x *exploration) concludeCrashes(r *explore.Result) {
	c := x.crashes
	if c == nil || x.g.World.Failures.NeverFail == 0 {
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
