package por

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/statespace"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/internal/table/world"
	"github.com/macemc/macemc/sim"
)

// mostRounds is the maximum number of explorations of a reduction.
const mostRounds = 50

// ReducedGraph has fewer states and edges than the system's graph, with the same terminal states, violations and dead states. Its
// assumptions are decided from the known local steps (K). K grows during an exploration, so [ReducedGraph.recheckAssumptions] decides
// them again at the end.
//
// An event t is explored alone if it commutes with everything that its node may do before it (see singletonAmple), makes no property look
// better (see visible), and no fault can affect it (see unaffectedByFaults). The package comment has the proof.
type ReducedGraph struct {
	g       *statespace.Graph
	World   *world.World
	Configs *statespace.NodeConfigs
	rules   options.Rules
	summary Reduced

	Permuter Permuter // nil without symmetry

	Nodes   []actor
	locals  []*LocalState // by number
	caches  [][]*configCache
	Answers steptree.Answers
	known   int // number of known local steps and states; only grows

	assumptions   Assumptions // events that are alone in a local state
	deadMessages  Assumptions // datagrams that are dead in a local state
	watched       []*watched
	Visibles      map[Change]bool
	fullyExpanded map[string]bool // states to expand fully
	full          []bool          // by number of the state: it was expanded fully
	final         bool            // all assumptions hold for good
	trial         bool            // give ReduceFull up when it takes too long
	searched      int             // number of states searched for the proviso
	long          int             // number of chains cut at their length
	Err           error           // error that prevents further exploration
	stuck         error           // a property does not return
	stuckAt       string          // in that state
	inner         graph.Edges     // scratch
	there         []uint32
	unpacked      []uint32
	lost          bool // a path cannot be executed
}

func (r *ReducedGraph) Mutated(f options.Mutation) bool { return r.rules.Mutation == f }

// Permuter exchanges interchangeable nodes, and refutes the symmetry if their steps differ.
type Permuter interface {
	Permutations() [][]sim.NodeID // without the identity
	Canonicalize(v []uint32) (by int)
	PermuteSet(p []sim.NodeID, id uint32) uint32
	HoldsForAll(l *Assumptions, c Claim, decide func(Claim) bool) bool

	CompareRoots(roots [][]uint32)
	CompareLocal(local uint32)
	CompareStep(local, act uint32)
	CompareProperties(v []uint32) bool
	CompareAll()
	AddCoverage()
	Refute(format string, args ...any)
	Refutation() string
}

// KeepsAll reports whether no state is left out.
func (r *ReducedGraph) KeepsAll() bool {
	return !r.rules.DeadMessages && !r.rules.SingletonAmple && !r.rules.Chains
}

// New returns the requested reduction, or the part of it that is known to be sound, or nil if no part is.
func New(
	g *statespace.Graph, opts *options.Options, newPermuter func(*ReducedGraph) (Permuter, string),
) (r *ReducedGraph, summary Reduced) {
	summary = reducible(g, opts)
	if summary.Used == options.ReduceNone && (!opts.Symmetry || opts.Asymmetry != "") && g.World.Failures.NeverFail == 0 {
		summary.Asymmetry = opts.Asymmetry
		return nil, summary
	}
	n := g.World.Nodes
	r = &ReducedGraph{g: g, World: g.World, Configs: g.Configs, rules: RulesOf(summary.Used), summary: summary,
		fullyExpanded: map[string]bool{}}
	r.trial = opts.Reduce == options.ReduceAuto && summary.Used == options.ReduceFull
	if opts.Rules != nil {
		r.rules = *opts.Rules
	}
	r.Nodes, r.caches = make([]actor, n), make([][]*configCache, n)
	for i := range r.Nodes {
		r.Nodes[i].ids, r.Nodes[i].is = map[Act]uint32{}, map[statespace.Datagram]bool{}
	}
	r.unpacked = make([]uint32, g.World.Layout.Words)
	r.summary.Asymmetry = opts.Asymmetry
	if opts.Symmetry && opts.Asymmetry == "" {
		why := strings.TrimSuffix(unlogged(g, opts), NotReduced)
		if why == "" {
			r.Permuter, why = newPermuter(r)
		}
		if r.summary.Asymmetry = why; r.Permuter != nil {
			r.summary.Permutations = len(r.Permuter.Permutations()) + 1
		} else if summary.Used == options.ReduceNone && g.World.Failures.NeverFail == 0 {
			return nil, r.summary
		}
	}
	return r, r.summary
}

// Trial returns the limits for an exploration that is given up if it takes too long: half of the given limits.
func (r *ReducedGraph) Trial(ctx context.Context, opts options.Options) (context.Context, context.CancelFunc, *options.Options) {
	if r == nil || !r.trial {
		return ctx, func() {}, &opts
	}
	opts.MaxStates = (opts.MaxStates + 1) / 2
	if opts.Trial == nil {
		return ctx, func() {}, &opts
	}
	ctx, cancel := opts.Trial(ctx)
	return ctx, cancel, &opts
}

// GivesUp reports whether a trial exploration took too long, or does not visit all states because only a sample of some
// draw is enumerated (Sampled). Then the next one uses ReduceDrop, which keeps depths.
func (r *ReducedGraph) GivesUp(ctx, limited context.Context, x *explore.Result) bool {
	again := errors.Is(x.Err, ErrAgain)
	if r == nil || !r.trial || ctx.Err() != nil || x.Err != nil && !again {
		return false
	}
	return again && (r.Err != nil || limited.Err() != nil || r.summary.Rounds == mostRounds) ||
		!again && (!x.Complete || !r.final || len(r.g.Sampled()) > 0)
}

// errLost reports a path that cannot be executed. It is not a finding about the system.
var errLost = errors.New("table: a step of the reduced graph cannot be taken")

// ErrAgain reports that an assumption of the exploration was refuted.
var ErrAgain = errors.New("table: to be explored again")

// Again reports whether the states must be explored once more. Otherwise the result is final.
func (r *ReducedGraph) Again(ctx context.Context, x *explore.Result) bool {
	again := errors.Is(x.Err, ErrAgain)
	if again {
		x.Err = nil
	} else if x.Err == nil && !x.Complete {
		refuted := r.recheckAssumptions()
		if r.Permuter != nil {
			r.Permuter.CompareAll()
		}
		breaks := !refuted && (x.Stopped == explore.StoppedDepth || x.Stopped == explore.StoppedStates) && r.breaksQuorumContract()
		r.final = !refuted && !breaks
		if again = refuted && x.Stopped == explore.StoppedDepth || breaks && r.Err == nil; !r.final && !again {
			x.Depth = 0
		}
	}
	if r.summary.Used == options.ReduceFull {
		x.Depth = 0 // depths of the reduced graph are not those of the system
	}
	switch {
	case again && ctx.Err() == nil:
		if r.summary.Rounds == mostRounds {
			r.disable(fmt.Sprintf("after %d rounds assumptions were still refuted", mostRounds))
		}
		return true
	case x.LacksFinder && x.Complete && !r.final && ctx.Err() == nil:
		r.disable("the visited set cannot find where edges lead")
		return true
	case again, x.Complete && !r.final:
		x.Complete, x.Stopped = false, explore.StoppedInterrupted
		if ctx.Err() == nil {
			x.Stopped = explore.StoppedMemory
		}
	}
	return false
}

// disable makes all later explorations ones without a reduction.
func (r *ReducedGraph) disable(why string) {
	r.rules, r.trial, r.summary = options.Rules{Mutation: r.rules.Mutation}, false,
		Reduced{Used: options.ReduceNone, Why: why + NotReduced, Rounds: r.summary.Rounds, Permutations: r.summary.Permutations,
			Asymmetry: r.summary.Asymmetry}
	r.assumptions.Begin()
	r.deadMessages.Begin()
	r.World.Covering.ForgetSometimes() // the next exploration visits all states again
}

// Begin starts a round. It forgets decisions, but neither known steps nor refuted assumptions.
func (r *ReducedGraph) Begin() {
	r.summary.Rounds++
	r.summary.Passed, r.summary.Chains, r.summary.Single = 0, 0, 0
	r.final, r.Visibles = false, map[Change]bool{}
	r.assumptions.Begin()
	r.deadMessages.Begin()
	for i := range r.caches {
		clear(r.caches[i])
	}
}

// Summary returns the summary of the reduction.
func (r *ReducedGraph) Summary() Reduced {
	r.summary.Dead = len(r.deadMessages.list)
	return r.summary
}
