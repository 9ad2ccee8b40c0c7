package table

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/explore"
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
	Stopped     string // why it is not complete: "depth", "states", "memory", "interrupted", "finding", "sampled", [StoppedCrashes]
	// Finding is what is wrong with a state or step, mostly a [*sim.Finding]; nil: nothing. Path leads there,
	// breadth first by as few steps as possible, unless its kind is nondeterminism, a handler does not return (see [kernel.Overdue]), or Reduced.Used is [ReduceFull].
	Finding error
	Path    choose.Path

	// LivenessChecked: it is known of every state whether some live state can be reached from it without faults
	// being injected, by events and answers that have weight. Else, and when the system has no Eventually property,
	// what follows is not set.
	LivenessChecked bool
	Dead            int         // states from which no live state can be reached
	DeadPath        choose.Path // to one of them, by as few steps as possible unless Reduced.Used is [ReduceFull]
	DeadCritical    int         // the last step of DeadPath, the critical one; 0: it is dead from the start
	DeadOutOfEvents bool        // a deadlock: nothing can happen there any more, but for faults and what disturbs

	// Fairness is nil when the system has no obligations, see [sim.System.Obligations].
	Fairness *Fairness

	// Sampled are the draws that were not enumerated, see [choose.Point.Sampled].
	Sampled choose.Samples

	// Omission bounds the probability that some state was taken for another one, and so it, and perhaps what
	// lies behind it, was not visited, or that a state was wrongly said to be dead, or not. 0: none was.
	Omission float64

	Bytes    int   // of memory for the set of states, with all that is kept for each
	Frontier int   // bytes, at most, of what is kept of states that wait to be expanded
	Disk     int64 // bytes, at most, that were on disk for want of memory
	Reduced  Reduced
	Crashes  *Crashes // nil: all were to be explored, or there are none
	Stats    Stats
	Plans    []Plan // how services and monitors were made for handlers to run on
	Coverage Coverage
	Grows    []Growth // what has grown, if the exploration stopped at a limit or was interrupted
}

// Explore visits all states that can be reached, injections within the limits of the system included, and checks the Always
// properties of each. It stops at the first finding. When all states were visited, it looks for those that are dead.
//
// With a frontier that does not take shortest ways, and MaxDepth, a state is passed over only if it was seen at the same or a smaller
// depth, else it is expanded once more: so all states within that many steps are visited, and Transitions counts the steps of
// each once. MaxDepth must be at most [explore.Deepest] then.
//
// The error is that of [NewWorld], [*Unsupported] when a state turns up that the tables cannot hold, an [*explore.ChangedError] when what
// the checked code does is not what is in the log, or another one of the log. Then what was explored is returned as well.
func Explore(ctx context.Context, sys *sim.System, opts ExploreOptions) (*Exploration, error) {
	return guarded(ctx, opts, func(ctx context.Context, opts ExploreOptions) (*Exploration, error) {
		return exploreAll(ctx, sys, opts)
	})
}

func exploreAll(ctx context.Context, sys *sim.System, opts ExploreOptions) (*Exploration, error) {
	e, err := newEngine(sys, opts.World, opts.Calls)
	if err != nil {
		return nil, err
	}
	var log *auditLog
	if opts.Log != nil {
		if log, err = newAuditLog(e, opts.Log); err != nil {
			return nil, err
		}
	}
	var path choose.Path
	if !opts.hastily {
		path, err = rehearse(e)
		opts.together = e.together
	}
	e.together = opts.together
	err = cmp.Or(log.err(), err)
	g := newGraph(e, opts.Weightless)
	g.known, g.log = opts.Known, log
	g.w.forgetCoverage()
	x := &exploration{g: g, opts: &opts, crashes: spare(g, &opts)}
	x.reduction, x.told = reduce(g, &opts, newSymmetry)
	r := explore.Result{}
	switch {
	case err != nil:
	case x.crashes.refused():
		r.Stopped = StoppedCrashes
	default:
		var refused error
		if r, refused = x.run(ctx); refused != nil {
			return nil, refused
		}
		if x.asymmetry != "" {
			return exploreAll(ctx, sys, opts.asymmetric(x.asymmetry))
		}
		if x.gaveUp {
			opts.Reduce, opts.hastily, opts.gaveUp = ReduceDrop, true, true
			return exploreAll(ctx, sys, opts)
		}
		if len(x.crashSensitive) > 0 && opts.Crashes == CrashAuto {
			opts.hastily, opts.crashSensitive = true, append(slices.Clone(opts.crashSensitive), x.crashSensitive...)
			return exploreAll(ctx, sys, opts)
		}
		x.judgeCrashes(&r)
		if err = r.Err; err != nil {
			path = x.found(&r)
		}
	}
	if x.refuted() {
		return exploreAll(ctx, sys, opts.asymmetric(x.asymmetry))
	}
	dead := x.dead
	out := x.result(&r)
	if dead != nil && dead.Checked && err == nil {
		dead.tell(out)
		if x.refuted() {
			return exploreAll(ctx, sys, opts.asymmetric(x.asymmetry))
		}
	}
	if x.fairCycles != nil {
		out.Fairness = x.fairCycles.told(&r, ctx.Err() != nil)
	}
	if len(out.Sampled) > 0 && out.Stopped == "" {
		out.Stopped = "sampled"
	}
	if x.reduction != nil && x.reduction.sym != nil {
		x.reduction.sym.cover()
	}
	out.Stats, out.Plans, out.Coverage = g.w.Stats(), g.w.Plans(), g.w.covered()
	out.Coverage.ForeignTimes = g.answers.foreign || g.sites.answers.foreign || x.reduction != nil && x.reduction.answers.foreign
	switch {
	case errors.As(err, new(*Unsupported)), errors.As(err, new(*explore.ChangedError)), errors.As(err, new(*explore.LogError)):
		return out, err
	case err != nil:
		out.Stopped, out.Finding, out.Path = "finding", err, path
	case out.Stopped == "":
		out.Complete = true
	case out.Stopped != "sampled" && out.Stopped != StoppedCrashes:
		out.Grows = g.sites.growths()
	}
	return out, nil
}

// exploration is what is explored, perhaps several times.
type exploration struct {
	g              *graph
	reduction      *reduction // nil: there is none
	opts           *ExploreOptions
	told           Reduced
	crashes        *Crashes         // nil: none are left out
	crashSensitive []CrashSensitive // nodes whose crashes must not be
	gaveUp         bool             // less is to be reduced
	asymmetry      string           // packedVector is no symmetry, as this shows
	dead           *deadStates      // as judged last; nil: nothing was explored
	fairCycles     *fairCycles      // likewise; nil: nothing is owed, either
}

// result is what an exploration came to, but for what is found afterwards.
func (x *exploration) result(r *explore.Result) *Exploration {
	return &Exploration{
		Reduced: x.told, Crashes: x.crashes,
		States: r.States, Transitions: r.Transitions, Live: r.Live, Expanded: r.Expanded, Depth: r.Depth, Stopped: r.Stopped,
		Omission: r.Omission, Bytes: r.Bytes, Frontier: r.Frontier, Disk: r.Disk, Sampled: x.g.sampled(),
	}
}

// refuted reports whether the nodes that were to be interchangeable are not.
func (x *exploration) refuted() bool {
	if r := x.reduction; r != nil && r.sym != nil {
		x.asymmetry = r.sym.refutation()
	}
	return x.asymmetry != ""
}

// run explores. The error is about the options.
func (x *exploration) run(ctx context.Context) (out explore.Result, refused error) {
	for again := true; again; {
		again = false
		x.opts.Calls.next()
		x.dead = &deadStates{g: x.g, reduced: x.reduction}
		x.fairCycles = newStarving(x.g, x.opts.Reducer != nil || x.reduction != nil)
		if x.fairCycles != nil && x.opts.labels > 0 {
			x.fairCycles.compared = x.opts.labels
		}
		judge, graph := judgesOf(x.dead.judge(), x.fairCycles), explore.Graph(x.g)
		if r := x.reduction; r != nil {
			r.begin()
			judge, graph = &reductionAnalysis{r, judge}, r
		}
		if x.opts.through != nil {
			graph = x.opts.through(graph)
		}
		limited, cancel, opts := x.reduction.hurry(ctx, *x.opts)
		loop, err := opts.loop(graph, judge)
		if err != nil {
			cancel()
			return out, err
		}
		x.g.limitBy(func() error { return loop.Limit(limited) })
		out = loop.Run(limited)
		x.g.limitBy(nil)
		x.g.w.stats.Steps += out.Steps
		if r := x.reduction; r != nil && r.sym != nil && out.Err != nil {
			r.sym.settles() // a finding is not believed otherwise
		}
		if r := x.reduction; !x.refuted() && r != nil {
			if x.gaveUp = r.givesUp(ctx, limited, &out); !x.gaveUp {
				again = r.again(ctx, &out)
			}
			if x.told = r.tell(); r.all() && r.sym == nil && x.g.w.uncrashed == 0 {
				x.reduction = nil
			}
			if !again && !x.gaveUp && out.Complete && out.Err == nil && x.g.w.uncrashed != 0 {
				x.g.limitBy(func() error { return loop.Limit(limited) })
				x.crashSensitive = crashSensitive(r)
				x.g.limitBy(nil)
			}
		}
		cancel()
	}
	return out, nil
}

// found is the path to what was found.
func (x *exploration) found(r *explore.Result) choose.Path {
	if x.reduction != nil {
		return x.reduction.found(r)
	}
	return x.g.found(r)
}

// Rehearsal: so many random runs of so many steps.
const (
	rehearsals     = 8
	rehearsalSteps = 200
	togetherSteps  = 30 // of them tell what changes together: breadth first states are near the start
)

// rehearse makes random runs on both engines, before anything is concluded from the tables: shortest paths
// take the same way to a state again and again, so that state which is not encoded would hardly show.
// The error is a finding of kind nondeterminism, about a changed message, or that a handler does not return, with the path to it, or
// [*Unsupported]; other findings are left to the exploration.
func rehearse(e *engine) (path choose.Path, err error) {
	w := newWorld(e)
	var events []sim.Event
	for k := range uint64(rehearsals) {
		random := choose.NewRandom(1, k)
		src := choose.SourceFunc(func(p choose.Point) int {
			pick := random.IntN(p.Arity) // weights do not matter to what is possible
			path = append(path, int32(pick))
			return pick
		})
		path = path[:0]
		w.cross = crossCheck{reference: w.cross.reference, closely: true}
		err := w.Start(src)
		for step := range rehearsalSteps {
			if err == nil {
				err = w.Check() // what is behind a violation is none of those who follow the path
				if err != nil && overdue(err) && !e.calls.Refuses() {
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
			before := slices.Clone(w.v)
			err = w.Step(events[src(choose.Point{Arity: len(events)})], src)
			if step < togetherSteps {
				e.together = append(e.together, w.layout.differing(before, w.v))
			}
		}
		if _, unsupported := errors.AsType[*Unsupported](err); unsupported || closer(err) || overdue(err) {
			return path, err
		}
	}
	return nil, nil
}

// judgeCrashes says what an exploration came to in which nodes did not crash.
func (x *exploration) judgeCrashes(r *explore.Result) {
	c := x.crashes
	if c == nil || x.g.w.uncrashed == 0 {
		return
	}
	c.Proven = r.Complete && r.Err == nil && len(x.crashSensitive) == 0
	if c.Proven {
		return
	}
	c.CrashSensitive = append(c.CrashSensitive, x.crashSensitive...)
	if r.Depth = 0; r.Complete && r.Err == nil {
		r.Complete, r.Stopped = false, StoppedCrashes
	}
}
