package crashes

import (
	"fmt"
	"slices"

	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/por"
	"github.com/macemc/macemc/internal/table/statespace"
	"github.com/macemc/macemc/sim"
)

// Local state x of a node that has not crashed simulates local state y of a node that has crashed if x can match
// every step of y with at least the same messages, or if the step of y is silent and x takes none. It is the
// greatest relation such that for each pair (y, x):
//
//   - properties judge y no worse than x, whatever the local states of other nodes, states after crashes included;
//   - for each event of y, its own or the delivery of a message that may be delivered in x, each outcome has a match: either it sends
//     and announces nothing and x simulates the next state; or an outcome of the same event in x announces the same and sends at
//     least the same, and its next state simulates that of y;
//   - the same holds for the part of each outcome that remains when the node crashes or halts inside the step;
//   - x simulates the down state after a crash of y, whichever unsynced writes survive, and after a halt.
//
// A node is crash-insensitive when each of its known local states simulates itself. Then each execution has a
// counterpart in which the node does not crash. The counterpart has at least the same messages in flight, the same
// states of other nodes and monitors, and is at least as bad for each Always property, so it has all their violations.
// This needs a network that does not depend on the messages in flight. Claims about the end of runs are not preserved:
// messages that are never taken may have been lost. All local steps of executions without these crashes are known,
// so the known local states are all that the node can have.

// mostAlike is the maximum number of pairs that are compared for one node.
const mostAlike = 20_000

// mostUnsynced is the maximum number of unsynced writes of a local state for which all survivors of a crash are
// compared.
const mostUnsynced = 16

// statePair is the local state of a crashed node and that of an uncrashed one.
type statePair struct{ crashed, uncrashed uint32 }

// simulationPair is a candidate pair: its uncrashed state may simulate its crashed one.
type simulationPair struct {
	statePair
	obligations []crashObligation
	wrong       string           // why not; the pair is a candidate while this is empty and lost is nil
	lost        *crashObligation // the obligation that cannot be visited
}

func (l *simulationPair) fails() bool { return l.wrong != "" || l.lost != nil }

// crashObligation is a possible step of a crashed node. The pair of at least one of its ends must hold.
type crashObligation struct {
	kind obligationKind
	act  uint32
	ends []int
}

type obligationKind int

const (
	afterStep obligationKind = iota
	afterCut
	afterCrash
	afterHalt
)

// simulation holds the candidate pairs of one node.
type simulation struct {
	r    *por.ReducedGraph
	node int
	ids  map[statePair]int
	list []simulationPair
	own  int // number of pairs of a state with itself; they come first
}

// Sensitive returns the uncrashed nodes that are not proven crash-insensitive, after all states have been visited.
// The graph must not be explored further.
func Sensitive(r *por.ReducedGraph) (list []options.CrashSensitive) {
	var all []*simulation
	for node := range r.Nodes {
		if r.World.Failures.NeverFail>>node&1 == 1 {
			a := &simulation{r: r, node: node, ids: map[statePair]int{}}
			a.gather()
			a.decide()
			all = append(all, a)
		}
	}
	for _, a := range all {
		list = a.appendReason(list)
	}
	if len(list) > 0 {
		return list
	}
	// Properties must also hold in combinations of states after crashes of several nodes.
	clear(r.Visibles)
	if !r.Mutated(por.NoOthersDown) {
		for _, a := range all {
			a.addKnown()
		}
	}
	r.Widen()
	for _, a := range all {
		a.decideAgain()
		list = a.appendReason(list)
	}
	return list
}

// gather collects the pairs and their obligations.
func (a *simulation) gather() {
	for _, id := range slices.Clone(a.r.Nodes[a.node].Reached) {
		if a.r.Local(id).Up {
			a.pair(id, id)
		}
	}
	a.own = len(a.list)
	for k := 0; k < len(a.list); k++ {
		if a.list[k].wrong = a.ask(k); a.list[k].wrong == "" && a.r.Limited() {
			a.list[k].wrong = "the time limit was reached"
		}
	}
}

func (a *simulation) pair(crashed, spared uint32) int {
	p := statePair{crashed, spared}
	id, ok := a.ids[p]
	if !ok {
		id = len(a.list)
		a.ids[p] = id
		a.list = append(a.list, simulationPair{statePair: p})
	}
	return id
}

// ask lists the obligations of a pair, or returns why the pair does not hold.
func (a *simulation) ask(k int) (wrong string) {
	r, y, x := a.r, a.list[k].crashed, a.list[k].uncrashed
	if len(a.list) > mostAlike {
		return fmt.Sprintf("there are more than %d pairs of states to compare", mostAlike)
	}
	if y != x {
		if p := worse(r, a.node, y, x); p != "" {
			return p
		}
	}
	l := r.Local(y)
	var duties []crashObligation
	if l.Up {
		if r.World.Locals.List[y].State.Unsynced() > mostUnsynced {
			return fmt.Sprintf("more than %d writes are not synced", mostUnsynced)
		}
		if r.World.Quorums.Any {
			if _, err := r.World.Assemble(y, r.Nodes[a.node].Sent, true); err != nil {
				return fmt.Sprintf("the messages that quorums take are unknown: %v", err)
			}
		}
		if y == x || !r.Mutated(por.NoSecond) {
			var err error
			if duties, err = a.downs(y, x); err != nil {
				return err.Error()
			}
		}
	}
	for _, f := range a.events(y, x) {
		o := r.Step(y, f)
		switch {
		case o == nil:
			continue
		case o.Unsure:
			return fmt.Sprintf("not all outcomes are known when %s", r.StepText(y, f))
		}
		there := r.Step(x, f)
		for i := range o.List {
			p := &o.List[i]
			if p.Failed {
				if y == x {
					continue // reported as a finding
				}
				return fmt.Sprintf("the step may fail when %s", r.StepText(y, f))
			}
			d := crashObligation{kind: afterStep, act: f}
			switch {
			case y == x:
				d.ends = []int{a.pair(p.Next, p.Next)}
			case !l.Up && r.Mutated(por.NoQuietBoot):
				d.ends = []int{a.pair(p.Next, x)}
			default:
				d.ends = a.ends(p.Next, x, p.Sends, p.Announced, there)
			}
			duties = append(duties, d)
			cuts, err := a.cuts(l, f, p, x, there)
			if err != nil {
				return err.Error()
			}
			duties = append(duties, cuts...)
		}
	}
	a.list[k].obligations = duties
	return ""
}

// events returns the events to match after a crash: the node's own, and deliveries that are possible without the
// crash.
func (a *simulation) events(y, x uint32) []uint32 {
	r := a.r
	l := r.Local(y)
	events := slices.Clone(l.Own)
	if !l.Up {
		return events
	}
	if r.World.Quorums.Any {
		for _, it := range r.Nodes[a.node].Sent {
			events = append(events, r.Delivery(a.node, it))
		}
		return append(events, r.Possible(y).Acts...)
	}
	for _, f := range r.Local(x).Known {
		if r.Delivers(a.node, f) {
			events = append(events, f)
		}
	}
	return events
}

// downs returns the obligations for crashes and halts between steps.
func (a *simulation) downs(y, x uint32) (duties []crashObligation, err error) {
	e := a.r.World.Engine
	if e.Failures.Crashing[a.node] && e.Sys.Crashes > 0 {
		for kept := range e.Locals.List[y].State.Unsynced() + 1 {
			if a.r.Mutated(por.NoSurvivors) && kept < e.Locals.List[y].State.Unsynced() {
				continue
			}
			down, err := e.Crashed(y, kept)
			if err != nil {
				return nil, err
			}
			duties = append(duties, crashObligation{kind: afterCrash, ends: []int{a.pair(down, x)}})
		}
	}
	if e.Failures.Halting[a.node] && e.Sys.Halts > 0 {
		down, err := e.HaltedState(sim.NodeID(a.node))
		if err != nil {
			return nil, err
		}
		duties = append(duties, crashObligation{kind: afterHalt, ends: []int{a.pair(down, x)}})
	}
	return duties, nil
}

// ends returns pairs. At least one of them must hold after a step to local state next that sent and announced something.
// They are the pair with x, if the step was silent, and those with the outcomes of the same event in x.
func (a *simulation) ends(next, x uint32, sends []statespace.EffectOp, announces []uint32, there *por.Outcomes) (ends []int) {
	if len(sends) == 0 && len(announces) == 0 {
		ends = append(ends, a.pair(next, x))
	}
	if there == nil {
		return ends
	}
	for i := range there.List {
		q := &there.List[i]
		if q.Failed || !within(sends, q.Sends) || !slices.Equal(announces, q.Announced) && !a.r.Mutated(por.NoSameNews) {
			continue
		}
		end := a.pair(next, q.Next)
		if next == q.Next && end < a.own {
			return []int{end} // this pair must hold anyway
		}
		if !slices.Contains(ends, end) {
			ends = append(ends, end)
		}
	}
	if a.r.Mutated(por.NoLikeness) && len(ends) == 0 {
		ends = append(ends, a.pair(next, x))
	}
	return ends
}

// within reports whether the sorted multiset some is contained in the sorted multiset all.
func within(some, all []statespace.EffectOp) bool {
	for _, o := range some {
		k := slices.Index(all, o)
		if k < 0 {
			return false
		}
		all = all[k+1:]
	}
	return true
}

// cuts returns the obligations for crashes and halts inside a step.
func (a *simulation) cuts(l *por.LocalState, f uint32, o *por.Outcome, x uint32, there *por.Outcomes) (duties []crashObligation,
	err error) {
	r, e := a.r, a.r.World.Engine
	if r.Mutated(por.NoCrashCuts) {
		return nil, nil
	}
	leaf, node := e.Trees.Leaves.At(o.Leaf), sim.NodeID(l.Node)
	add := func(down uint32, c stepinfo.Cut) {
		if c.Lost != 0 {
			return // a receiver that got all messages can do at least what one that lost some can
		}
		sends, announces, _ := r.Heard(node, e.Trees.Leaves.At(o.Leaf).OpsLeft(c))
		duties = append(duties, crashObligation{kind: afterCut, act: f, ends: a.ends(down, x, sends, announces, there)})
	}
	if e.Failures.Halting[node] && leaf.HaltCuts > 0 {
		down, err := e.HaltedState(node)
		if err != nil {
			return nil, err
		}
		for _, c := range e.CutsOf(leaf, stepinfo.EffectKind.VisibleAfterHalt) {
			add(down, c)
		}
	}
	if !e.Failures.Crashing[node] || leaf.CrashCuts == 0 {
		return duties, nil
	}
	for _, c := range e.CutsOf(leaf, stepinfo.EffectKind.SurvivesCrash) {
		outcomes := e.CrashedInside(node, o.Leaf, leaf.CutOf(c)).Outcomes
		for kept := range outcomes {
			if r.Mutated(por.NoSurvivors) && kept < outcomes-1 {
				continue
			}
			down, err := e.Survived(node, o.Leaf, leaf.CutOf(c), kept)
			if err != nil {
				return nil, err
			}
			add(down, c)
		}
	}
	return duties, nil
}

// decide removes pairs with an obligation that no remaining pair meets, until none is left.
func (a *simulation) decide() {
	for again := true; again; {
		again = false
		for k := len(a.list) - 1; k >= 0; k-- {
			m := &a.list[k]
			if m.fails() {
				continue
			}
			for i := range m.obligations {
				d := &m.obligations[i]
				if !slices.ContainsFunc(d.ends, func(end int) bool { return !a.list[end].fails() }) {
					m.lost, again = d, true
					break
				}
			}
		}
	}
}

// addKnown adds the states after crashes to the node's known local states.
func (a *simulation) addKnown() {
	n := &a.r.Nodes[a.node]
	visited := map[uint32]bool{}
	for _, id := range n.Reached {
		visited[id] = true
	}
	for k := range a.list {
		if id := a.list[k].crashed; !a.list[k].fails() && !visited[id] {
			visited[id] = true
			n.Reached = append(n.Reached, id)
		}
	}
}

// decideAgain decides once more with the states after crashes of other nodes known.
func (a *simulation) decideAgain() {
	for k := range a.list {
		if m := &a.list[k]; !m.fails() && m.crashed != m.uncrashed {
			m.wrong = worse(a.r, a.node, m.crashed, m.uncrashed)
		}
	}
	a.decide()
}

// worse names a property that a node in local state y may violate, or satisfy for the first time, but not in
// x. It returns "" if there is none.
func worse(r *por.ReducedGraph, node int, y, x uint32) string {
	sometimes := len(r.World.Properties.Always) + len(r.World.Properties.Eventually)
	for k, p := range r.Properties() {
		switch {
		case k >= sometimes && r.World.Covering.Met[k-sometimes]:
		case p.InFlight && !r.Mutated(por.NoReads):
			return fmt.Sprintf("property %q reads the messages in flight", p.Name)
		case p.Wide && !r.Mutated(por.NoReads):
			return fmt.Sprintf("property %q reads too many states to compare", p.Name)
		case !r.Mutated(por.NoBad) && !p.InFlight && r.Shows(p, node, por.Change{From: y, To: x}):
			return fmt.Sprintf("property %q may have another value then", p.Name)
		}
	}
	return ""
}
