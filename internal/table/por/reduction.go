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

// Reduced tells what a reduction came to.
type Reduced struct {
	Used   options.Reduction `json:"used"`
	Why    string            `json:"why,omitempty"`    // it is less than what was asked for; "": it is that
	Rounds int               `json:"rounds,omitempty"` // explorations: what turned out not to hold is not relied upon in the next one
	Passed int               `json:"passed,omitempty"` // states that were gone through, and checked, but not kept
	Chains int               `json:"chains,omitempty"` // edges that stand for several steps
	Single int               `json:"single,omitempty"` // kept states from which one event was followed alone
	Dead   int               `json:"dead,omitempty"`   // local states with a datagram that was dropped there

	Permutations int    `json:"permutations,omitempty"` // of nodes, by which states that are the same are one; 0: they are not merged
	Asymmetry    string `json:"asymmetry,omitempty"`    // why they are not, though that was asked for
}

// mostRounds is how many explorations a reduction may take.
const mostRounds = 50

// ReducedGraph is a graph of fewer states and edges than the system's that has the same terminal states, violations and
// dead states. What it relies on is decided from the local steps that are known (K), which become more while it is
// explored: at the end [ReducedGraph.settle] looks at all of it again.
//
// An event t that can happen in a state is followed alone when, by what is known, it commutes with all that its node may do
// before it (see alone), changes no property for the better (see visible), and no fault can strike it (see fits). Why this
// keeps what it keeps: see the package comment.
type ReducedGraph struct {
	g       *statespace.Graph
	World   *world.World
	Configs *statespace.NodeConfigs
	rules   options.Rules
	told    Reduced

	Permuter Permuter // nil: states that differ by a permutation of nodes are two

	Nodes   []actor
	locals  []*LocalState // by number
	places  [][]*placeState
	Answers steptree.Answers
	known   int // local steps and states: grows only

	assumptions   Assumptions // that an event is alone in a local state
	deadMessages  Assumptions // that a datagram is dead in a local state
	watched       []*watched
	Visibles      map[Change]bool
	fullyExpanded map[string]bool // states that are expanded in full
	full          []bool          // by number of the state: it was expanded in full
	settled       bool            // all that was relied upon holds for good
	hurried       bool            // ReduceFull is given up when it takes too long
	searched      int             // states that were gone through for the proviso
	long          int             // chains that were as long as they may be
	Err           error           // what makes it impossible to go on
	stuck         error           // a property does not return
	stuckAt       string          // in that state
	inner         graph.Edges     // scratch
	there         []uint32
	unpacked      []uint32
	lost          bool // a path cannot be executed
}

func (r *ReducedGraph) Mutated(f options.Mutation) bool { return r.rules.Mutation == f }

// Permuter exchanges nodes that are interchangeable, and refutes that they are where their steps differ.
type Permuter interface {
	Permutations() [][]sim.NodeID // but for the one that changes nothing
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

// RulesOf are the parts of what was asked for.
func RulesOf(used options.Reduction) options.Rules {
	return options.Rules{DeadMessages: used == options.ReduceDrop || used == options.ReduceFull, SingletonAmple: used == options.ReduceFull, Chains: used == options.ReduceFull}
}

// KeepsAll reports whether no state is left out.
func (r *ReducedGraph) KeepsAll() bool {
	return !r.rules.DeadMessages && !r.rules.SingletonAmple && !r.rules.Chains
}

// New makes the reduction that was asked for, or as much of it as is known to be right; nil: nothing.
func New(g *statespace.Graph, opts *options.Options, newPermuter func(*ReducedGraph) (Permuter, string)) (r *ReducedGraph, told Reduced) {
	told = reducible(g, opts)
	if told.Used == options.ReduceNone && (!opts.Symmetry || opts.Asymmetry != "") && g.World.Uncrashed == 0 {
		told.Asymmetry = opts.Asymmetry
		return nil, told
	}
	n := g.World.Nodes
	r = &ReducedGraph{g: g, World: g.World, Configs: g.Configs, rules: RulesOf(told.Used), told: told, fullyExpanded: map[string]bool{}}
	r.hurried = opts.Reduce == options.ReduceAuto && told.Used == options.ReduceFull
	if opts.Rules != nil {
		r.rules = *opts.Rules
	}
	r.Nodes, r.places = make([]actor, n), make([][]*placeState, n)
	for i := range r.Nodes {
		r.Nodes[i].ids, r.Nodes[i].is = map[Act]uint32{}, map[statespace.Datagram]bool{}
	}
	r.unpacked = make([]uint32, g.World.Layout.Words)
	r.told.Asymmetry = opts.Asymmetry
	if opts.Symmetry && opts.Asymmetry == "" {
		why := strings.TrimSuffix(unlogged(g, opts), NotReduced)
		if why == "" {
			r.Permuter, why = newPermuter(r)
		}
		if r.told.Asymmetry = why; r.Permuter != nil {
			r.told.Permutations = len(r.Permuter.Permutations()) + 1
		} else if told.Used == options.ReduceNone && g.World.Uncrashed == 0 {
			return nil, r.told
		}
	}
	return r, r.told
}

const NotReduced = ": not reduced"

// unlogged says why nothing of a graph can be left out; "": it can.
func unlogged(g *statespace.Graph, opts *options.Options) string {
	if opts.Log != nil {
		return "what is kept to go on with is not reduced"
	}
	return Irreducible(g.World.Engine)
}

// reducible says which reduction is made of what was asked for, and why it is not more.
func reducible(g *statespace.Graph, opts *options.Options) (told Reduced) {
	told.Used = options.ReduceNone
	switch opts.Reduce {
	case options.ReduceNone, "":
		return told
	case options.ReduceAuto:
		if opts.MaxDepth > 0 {
			told.Why = "with a bound on depth nothing is left out unless that is asked for"
			return told
		}
	}
	if told.Why = unlogged(g, opts); told.Why != "" {
		return told
	}
	if told.Used = opts.Reduce; told.Used == options.ReduceAuto {
		told.Used = options.ReduceFull
	}
	if told.Used == options.ReduceFull {
		var why []string
		if opts.MaxDepth > 0 {
			why = append(why, "with a bound on depth only dead messages are dropped")
		}
		if opts.Known != nil {
			why = append(why, "what lies behind a violation is not visited, so that only dead messages are dropped")
		}
		if told.Why = strings.Join(why, "; "); told.Why != "" {
			told.Used = options.ReduceDrop
		}
	}
	if opts.GaveUp {
		told.Why = tooLongToTell
	}
	return told
}

// Irreducible says what of a system keeps all of its states from being reduced; "": nothing.
func Irreducible(e *steptree.Engine) string {
	var why []string
	add := func(is bool, what string) {
		if is {
			why = append(why, what)
		}
	}
	ordered, _ := e.Net.(interface{ Ordered() bool })
	add(e.Layout.PairCount > 0, "streams")
	add(ordered != nil && ordered.Ordered(), "queues")
	add(e.Sys.Timing == sim.Prompt, "timing Prompt")
	add(e.Sys.Limits()[sim.Partitions] > 0, "partitions")
	add(e.Groups != nil, "containers")
	add(e.EarlyNodes != 1<<e.Nodes-1, "nodes that are late")
	add(len(e.Sys.Obligations()) > 0, "fair runs without end are judged")
	if len(why) == 0 {
		return ""
	}
	return strings.Join(why, ", ") + NotReduced
}

// Hurry is the limits for an exploration that is given up if it takes too long: half of those that there are.
func (r *ReducedGraph) Hurry(ctx context.Context, opts options.Options) (context.Context, context.CancelFunc, *options.Options) {
	if r == nil || !r.hurried {
		return ctx, func() {}, &opts
	}
	opts.MaxStates = (opts.MaxStates + 1) / 2
	if opts.Hurry == nil {
		return ctx, func() {}, &opts
	}
	ctx, cancel := opts.Hurry(ctx)
	return ctx, cancel, &opts
}

// GivesUp reports whether an exploration within limits of hurry was too long, and another one is to be made, which keeps depths.
func (r *ReducedGraph) GivesUp(ctx, limited context.Context, x *explore.Result) bool {
	again := errors.Is(x.Err, ErrAgain)
	if r == nil || !r.hurried || ctx.Err() != nil || x.Err != nil && !again {
		return false
	}
	return again && (r.Err != nil || limited.Err() != nil || r.told.Rounds == mostRounds) ||
		!again && (!x.Complete || !r.settled || len(r.g.Sampled()) > 0)
}

// tooLongToTell is why less is reduced then.
const tooLongToTell = "it was not known in time which events commute: only dead messages are dropped"

// errLost: a path cannot be executed, which is no finding about the system.
var errLost = errors.New("table: a step of the reduced graph cannot be taken")

// errAgain: something that the exploration relied upon does not hold.
var ErrAgain = errors.New("table: to be explored again")

// Again reports whether the states are to be explored once more; else what came of it is final.
func (r *ReducedGraph) Again(ctx context.Context, x *explore.Result) bool {
	again := errors.Is(x.Err, ErrAgain)
	if again {
		x.Err = nil
	} else if x.Err == nil && !x.Complete {
		fell := r.settle()
		if r.Permuter != nil {
			r.Permuter.CompareAll()
		}
		breaks := !fell && (x.Stopped == "depth" || x.Stopped == "states") && r.breaksPromises()
		r.settled = !fell && !breaks
		if again = fell && x.Stopped == "depth" || breaks && r.Err == nil; !r.settled && !again {
			x.Depth = 0
		}
	}
	if r.told.Used == options.ReduceFull {
		x.Depth = 0 // that of the graph is none of the system
	}
	switch {
	case again && ctx.Err() == nil:
		if r.told.Rounds == mostRounds {
			r.nothing(fmt.Sprintf("after %d rounds it still was not known what holds", mostRounds))
		}
		return true
	case x.Blind && x.Complete && !r.settled && ctx.Err() == nil:
		r.nothing("the visited set cannot tell where edges lead")
		return true
	case again, x.Complete && !r.settled:
		x.Complete, x.Stopped = false, "interrupted"
		if ctx.Err() == nil {
			x.Stopped = "memory"
		}
	}
	return false
}

// nothing has no state left out any more.
func (r *ReducedGraph) nothing(why string) {
	r.rules, r.hurried, r.told = options.Rules{Mutation: r.rules.Mutation}, false, Reduced{Used: options.ReduceNone, Why: why + NotReduced, Rounds: r.told.Rounds, Permutations: r.told.Permutations, Asymmetry: r.told.Asymmetry}
	r.assumptions.Begin()
	r.deadMessages.Begin()
	r.World.Covering.ForgetSometimes()
}

// Begin forgets what was decided, but not what is known, nor what turned out not to hold.
func (r *ReducedGraph) Begin() {
	r.told.Rounds++
	r.told.Passed, r.told.Chains, r.told.Single = 0, 0, 0
	r.settled, r.Visibles = false, map[Change]bool{}
	r.assumptions.Begin()
	r.deadMessages.Begin()
	for i := range r.places {
		clear(r.places[i])
	}
}

// Summary is what the reduction came to.
func (r *ReducedGraph) Summary() Reduced {
	r.told.Dead = len(r.deadMessages.list)
	return r.told
}

// Assumptions is what is relied upon, and what turned out not to hold.
type Assumptions struct {
	decided map[Claim]bool // in this round
	list    []Claim        // that hold, and were relied upon
	listed  map[Claim]bool
	Fallen  map[Claim]bool // for good
	All     map[Claim]bool // in this round, of what permutations of nodes make of a claim, too: all of it holds
}

// Claim is about an event in a local state.
type Claim struct{ Local, Act uint32 }

func (l *Assumptions) Begin() {
	l.decided, l.list, l.listed, l.All = map[Claim]bool{}, nil, map[Claim]bool{}, map[Claim]bool{}
	if l.Fallen == nil {
		l.Fallen = map[Claim]bool{}
	}
}

// assume reports whether a claim holds for all nodes that may be exchanged.
func (r *ReducedGraph) assume(l *Assumptions, c Claim, decide func(Claim) bool) bool {
	if r.Permuter != nil {
		return r.Permuter.HoldsForAll(l, c, decide)
	}
	return l.Holds(c, decide)
}

// Holds decides a claim once in a round, and notes that it is relied upon.
func (l *Assumptions) Holds(c Claim, decide func(Claim) bool) bool {
	if l.Fallen[c] {
		return false
	}
	ok, known := l.decided[c]
	if !known {
		ok = decide(c)
		l.decided[c] = ok
	}
	if ok && !l.listed[c] {
		l.listed[c] = true
		l.list = append(l.list, c)
	}
	return ok
}

// check decides again what was relied upon, and reports whether some of it fell.
func (l *Assumptions) check(decide func(Claim) bool) (fell bool) {
	for _, c := range l.list {
		if !l.Fallen[c] && !decide(c) {
			l.Fallen[c] = true
			fell = true
		}
	}
	return fell
}

// The conditions that tests leave out.
const (
	NoVisibility options.Mutation = "visibility is not looked at"
	NoSettling   options.Mutation = "nothing is decided again"
	NoFixpoint   options.Mutation = "what was decided is decided again only once"
	NoLoss       options.Mutation = "what may be lost is alone"
	NoCrashes    options.Mutation = "nodes that may crash are alone"
	NoHalts      options.Mutation = "nodes that may halt are alone"
	NoReceivers  options.Mutation = "receivers may be down"
	NoCommuting  options.Mutation = "the order of events may matter"
	NoWalk       options.Mutation = "only the present local state is looked at"
	NoProviso    options.Mutation = "states that are expanded in full need not be reached"
	NoDeliveries options.Mutation = "deliveries of dropped datagrams are not known"
	NoSets       options.Mutation = "only sets that are known are looked at"
	NoLeftovers  options.Mutation = "what a set leaves may matter"
	NoMonitors   options.Mutation = "monitors are not heard"
	NoRivals     options.Mutation = "sets that take the same may do something else"
	NoRestart    options.Mutation = "dropped datagrams may matter after a crash"
	NoPromises   options.Mutation = "quorums may break what they say in states that are left out"

	NoSurvivors  options.Mutation = "what was written may be lost"
	NoQuietBoot  options.Mutation = "nodes may send when they boot"
	NoBad        options.Mutation = "properties may be violated after a crash only"
	NoReads      options.Mutation = "properties may read what is in flight"
	NoLikeness   options.Mutation = "steps may do something else after a crash"
	NoSecond     options.Mutation = "nodes crash once"
	NoCrashCuts  options.Mutation = "nodes crash between steps only"
	NoOthersDown options.Mutation = "one node crashes"
	NoSameNews   options.Mutation = "monitors may hear something else after a crash"

	NoSameStart   options.Mutation = "runs may begin otherwise"
	NoSameEvents  options.Mutation = "other events may happen"
	NoSameSteps   options.Mutation = "steps may do something else"
	NoSameCrashes options.Mutation = "crashes may come to something else"
	NoSameCuts    options.Mutation = "crashes inside steps may come to something else"
	NoSameSets    options.Mutation = "quorums may take other sets"
	NoSameHearing options.Mutation = "monitors may look who announces something"
	NoSameView    options.Mutation = "properties may look at single nodes"
	NoSameClaims  options.Mutation = "what is relied upon need not hold for other nodes"
	NoHidden      options.Mutation = "what is not in the state may differ"
	NoSameCover   options.Mutation = "what the nodes do that others stand for is not covered"
)
