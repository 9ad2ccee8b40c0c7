package table

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/sim"
)

// Reduced tells what a reduction came to.
type Reduced struct {
	Used   Reduction `json:"used"`
	Why    string    `json:"why,omitempty"`    // it is less than what was asked for; "": it is that
	Rounds int       `json:"rounds,omitempty"` // explorations: what turned out not to hold is not relied upon in the next one
	Passed int       `json:"passed,omitempty"` // states that were gone through, and checked, but not kept
	Chains int       `json:"chains,omitempty"` // edges that stand for several steps
	Single int       `json:"single,omitempty"` // kept states from which one event was followed alone
	Dead   int       `json:"dead,omitempty"`   // local states with a datagram that was dropped there

	Permutations int    `json:"permutations,omitempty"` // of nodes, by which states that are the same are one; 0: they are not merged
	Asymmetry    string `json:"asymmetry,omitempty"`    // why they are not, though that was asked for
}

// mostRounds is how many explorations a reduction may take.
const mostRounds = 50

// reduction is a graph of fewer states and edges than the system's that has the same terminal states, violations and
// dead states. What it relies on is decided from the local steps that are known (K), which become more while it is
// explored: at the end [reduction.settle] looks at all of it again.
//
// An event t that can happen in a state is followed alone when, by what is known, it commutes with all that its node may do
// before it (see alone), changes no property for the better (see visible), and no fault can strike it (see fits). Why this
// keeps what it keeps: docs/reduction.md.
type reduction struct {
	g     *graph
	w     *World
	sites *nodeConfigs
	rules rules
	told  Reduced

	sym permuter // nil: states that differ by a permutation of nodes are two

	nodes   []actor
	locals  []*localState // by number
	places  [][]*placeState
	answers answers
	known   int // local steps and states: grows only

	assumptions   assumptions // that an event is alone in a local state
	deadMessages  assumptions // that a datagram is dead in a local state
	watched       []*watched
	visibles      map[change]bool
	fullyExpanded map[string]bool // states that are expanded in full
	full          []bool          // by number of the state: it was expanded in full
	settled       bool            // all that was relied upon holds for good
	hurried       bool            // ReduceFull is given up when it takes too long
	searched      int             // states that were gone through for the proviso
	long          int             // chains that were as long as they may be
	err           error           // what makes it impossible to go on
	stuck         error           // a property does not return
	stuckAt       string          // in that state
	inner         explore.Edges   // scratch
	there         []uint32
	unpacked      []uint32
	lost          bool // a path cannot be executed
}

func (r *reduction) mutated(f mutation) bool { return r.rules.mutations == f }

// permuter exchanges nodes that are interchangeable, and refutes that they are where their steps differ.
type permuter interface {
	permutations() [][]sim.NodeID // but for the one that changes nothing
	canonicalize(v []uint32) (by int)
	set(p []sim.NodeID, id uint32) uint32
	all(l *assumptions, c claim, decide func(claim) bool) bool

	begins(roots [][]uint32)
	meets(local uint32)
	knows(local, act uint32)
	agrees(v []uint32) bool
	settles()
	cover()
	refute(format string, args ...any)
	refutation() string
}

// rulesOf are the parts of what was asked for.
func rulesOf(used Reduction) rules {
	return rules{deadMessages: used == ReduceDrop || used == ReduceFull, singletonAmple: used == ReduceFull, chains: used == ReduceFull}
}

// all reports whether no state is left out.
func (r *reduction) all() bool {
	return !r.rules.deadMessages && !r.rules.singletonAmple && !r.rules.chains
}

// reduce makes the reduction that was asked for, or as much of it as is known to be right; nil: nothing.
func reduce(g *graph, opts *ExploreOptions, newPermuter func(*reduction) (permuter, string)) (r *reduction, told Reduced) {
	told = reducible(g, opts)
	if told.Used == ReduceNone && (!opts.Symmetry || opts.asymmetry != "") && g.w.uncrashed == 0 {
		told.Asymmetry = opts.asymmetry
		return nil, told
	}
	n := g.w.nodes
	r = &reduction{g: g, w: g.w, sites: g.sites, rules: rulesOf(told.Used), told: told, fullyExpanded: map[string]bool{}}
	r.hurried = opts.Reduce == ReduceAuto && told.Used == ReduceFull
	if opts.rules != nil {
		r.rules = *opts.rules
	}
	r.nodes, r.places = make([]actor, n), make([][]*placeState, n)
	for i := range r.nodes {
		r.nodes[i].ids, r.nodes[i].is = map[act]uint32{}, map[datagram]bool{}
	}
	r.unpacked = make([]uint32, g.w.layout.words)
	r.told.Asymmetry = opts.asymmetry
	if opts.Symmetry && opts.asymmetry == "" {
		why := strings.TrimSuffix(unlogged(g, opts), notReduced)
		if why == "" {
			r.sym, why = newPermuter(r)
		}
		if r.told.Asymmetry = why; r.sym != nil {
			r.told.Permutations = len(r.sym.permutations()) + 1
		} else if told.Used == ReduceNone && g.w.uncrashed == 0 {
			return nil, r.told
		}
	}
	return r, r.told
}

const notReduced = ": not reduced"

// unlogged says why nothing of a graph can be left out; "": it can.
func unlogged(g *graph, opts *ExploreOptions) string {
	if opts.Log != nil {
		return "what is kept to go on with is not reduced"
	}
	return irreducible(g.w.engine)
}

// reducible says which reduction is made of what was asked for, and why it is not more.
func reducible(g *graph, opts *ExploreOptions) (told Reduced) {
	told.Used = ReduceNone
	switch opts.Reduce {
	case ReduceNone, "":
		return told
	case ReduceAuto:
		if opts.MaxDepth > 0 {
			told.Why = "with a bound on depth nothing is left out unless that is asked for"
			return told
		}
	}
	if told.Why = unlogged(g, opts); told.Why != "" {
		return told
	}
	if told.Used = opts.Reduce; told.Used == ReduceAuto {
		told.Used = ReduceFull
	}
	if told.Used == ReduceFull {
		var why []string
		if opts.MaxDepth > 0 {
			why = append(why, "with a bound on depth only dead messages are dropped")
		}
		if opts.Known != nil {
			why = append(why, "what lies behind a violation is not visited, so that only dead messages are dropped")
		}
		if told.Why = strings.Join(why, "; "); told.Why != "" {
			told.Used = ReduceDrop
		}
	}
	if opts.gaveUp {
		told.Why = tooLongToTell
	}
	return told
}

// irreducible says what of a system keeps all of its states from being reduced; "": nothing.
func irreducible(e *engine) string {
	var why []string
	add := func(is bool, what string) {
		if is {
			why = append(why, what)
		}
	}
	ordered, _ := e.net.(interface{ Ordered() bool })
	add(e.layout.pairCount > 0, "streams")
	add(ordered != nil && ordered.Ordered(), "queues")
	add(e.sys.Timing == sim.Prompt, "timing Prompt")
	add(e.sys.Limits()[sim.Partitions] > 0, "partitions")
	add(e.groups != nil, "containers")
	add(e.early != 1<<e.nodes-1, "nodes that are late")
	add(len(e.sys.Obligations()) > 0, "fair runs without end are judged")
	if len(why) == 0 {
		return ""
	}
	return strings.Join(why, ", ") + notReduced
}

// hurry is the limits for an exploration that is given up if it takes too long: half of those that there are.
func (r *reduction) hurry(ctx context.Context, opts ExploreOptions) (context.Context, context.CancelFunc, *ExploreOptions) {
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

// givesUp reports whether an exploration within limits of hurry was too long, and another one is to be made, which keeps depths.
func (r *reduction) givesUp(ctx, limited context.Context, x *explore.Result) bool {
	again := errors.Is(x.Err, errAgain)
	if r == nil || !r.hurried || ctx.Err() != nil || x.Err != nil && !again {
		return false
	}
	return again && (r.err != nil || limited.Err() != nil || r.told.Rounds == mostRounds) ||
		!again && (!x.Complete || !r.settled || len(r.g.sampled()) > 0)
}

// tooLongToTell is why less is reduced then.
const tooLongToTell = "it was not known in time which events commute: only dead messages are dropped"

// errLost: a path cannot be executed, which is no finding about the system.
var errLost = errors.New("table: a step of the reduced graph cannot be taken")

// errAgain: something that the exploration relied upon does not hold.
var errAgain = errors.New("table: to be explored again")

// again reports whether the states are to be explored once more; else what came of it is final.
func (r *reduction) again(ctx context.Context, x *explore.Result) bool {
	again := errors.Is(x.Err, errAgain)
	if again {
		x.Err = nil
	} else if x.Err == nil && !x.Complete {
		fell := r.settle()
		if r.sym != nil {
			r.sym.settles()
		}
		breaks := !fell && (x.Stopped == "depth" || x.Stopped == "states") && r.breaksPromises()
		r.settled = !fell && !breaks
		if again = fell && x.Stopped == "depth" || breaks && r.err == nil; !r.settled && !again {
			x.Depth = 0
		}
	}
	if r.told.Used == ReduceFull {
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
func (r *reduction) nothing(why string) {
	r.rules, r.hurried, r.told = rules{mutations: r.rules.mutations}, false, Reduced{Used: ReduceNone, Why: why + notReduced, Rounds: r.told.Rounds, Permutations: r.told.Permutations, Asymmetry: r.told.Asymmetry}
	r.assumptions.begin()
	r.deadMessages.begin()
	r.w.covering.forgetSometimes()
}

// begin forgets what was decided, but not what is known, nor what turned out not to hold.
func (r *reduction) begin() {
	r.told.Rounds++
	r.told.Passed, r.told.Chains, r.told.Single = 0, 0, 0
	r.settled, r.visibles = false, map[change]bool{}
	r.assumptions.begin()
	r.deadMessages.begin()
	for i := range r.places {
		clear(r.places[i])
	}
}

// tell is what the reduction came to.
func (r *reduction) tell() Reduced {
	r.told.Dead = len(r.deadMessages.list)
	return r.told
}

// assumptions is what is relied upon, and what turned out not to hold.
type assumptions struct {
	decided map[claim]bool // in this round
	list    []claim        // that hold, and were relied upon
	listed  map[claim]bool
	fallen  map[claim]bool // for good
	all     map[claim]bool // in this round, of what permutations of nodes make of a claim, too: all of it holds
}

// claim is about an event in a local state.
type claim struct{ local, act uint32 }

func (l *assumptions) begin() {
	l.decided, l.list, l.listed, l.all = map[claim]bool{}, nil, map[claim]bool{}, map[claim]bool{}
	if l.fallen == nil {
		l.fallen = map[claim]bool{}
	}
}

// assume reports whether a claim holds for all nodes that may be exchanged.
func (r *reduction) assume(l *assumptions, c claim, decide func(claim) bool) bool {
	if r.sym != nil {
		return r.sym.all(l, c, decide)
	}
	return l.holds(c, decide)
}

// holds decides a claim once in a round, and notes that it is relied upon.
func (l *assumptions) holds(c claim, decide func(claim) bool) bool {
	if l.fallen[c] {
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
func (l *assumptions) check(decide func(claim) bool) (fell bool) {
	for _, c := range l.list {
		if !l.fallen[c] && !decide(c) {
			l.fallen[c] = true
			fell = true
		}
	}
	return fell
}

// The conditions that tests leave out.
const (
	noVisibility mutation = "visibility is not looked at"
	noSettling   mutation = "nothing is decided again"
	noFixpoint   mutation = "what was decided is decided again only once"
	noLoss       mutation = "what may be lost is alone"
	noCrashes    mutation = "nodes that may crash are alone"
	noHalts      mutation = "nodes that may halt are alone"
	noReceivers  mutation = "receivers may be down"
	noCommuting  mutation = "the order of events may matter"
	noWalk       mutation = "only the present local state is looked at"
	noProviso    mutation = "states that are expanded in full need not be reached"
	noDeliveries mutation = "deliveries of dropped datagrams are not known"
	noSets       mutation = "only sets that are known are looked at"
	noLeftovers  mutation = "what a set leaves may matter"
	noMonitors   mutation = "monitors are not heard"
	noRivals     mutation = "sets that take the same may do something else"
	noRestart    mutation = "dropped datagrams may matter after a crash"
	noPromises   mutation = "quorums may break what they say in states that are left out"

	noSurvivors  mutation = "what was written may be lost"
	noQuietBoot  mutation = "nodes may send when they boot"
	noBad        mutation = "properties may be violated after a crash only"
	noReads      mutation = "properties may read what is in flight"
	noLikeness   mutation = "steps may do something else after a crash"
	noSecond     mutation = "nodes crash once"
	noCrashCuts  mutation = "nodes crash between steps only"
	noOthersDown mutation = "one node crashes"
	noSameNews   mutation = "monitors may hear something else after a crash"

	noSameStart   mutation = "runs may begin otherwise"
	noSameEvents  mutation = "other events may happen"
	noSameSteps   mutation = "steps may do something else"
	noSameCrashes mutation = "crashes may come to something else"
	noSameCuts    mutation = "crashes inside steps may come to something else"
	noSameSets    mutation = "quorums may take other sets"
	noSameHearing mutation = "monitors may look who announces something"
	noSameView    mutation = "properties may look at single nodes"
	noSameClaims  mutation = "what is relied upon need not hold for other nodes"
	noHidden      mutation = "what is not in the state may differ"
	noSameCover   mutation = "what the nodes do that others stand for is not covered"
)
