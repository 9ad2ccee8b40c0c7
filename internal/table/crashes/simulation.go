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

// A node that has crashed, in local state y, is like one that has not, in x, when whatever the first does the other can do too, with at least the
// same messages, or the first does it unheard, and the other nothing. That is the greatest relation such that for each pair (y, x)
//
//   - what y looks like to properties is no worse than x, whatever the local states of other nodes, be they those after crashes;
//   - for each event of y, of its own or the delivery of something that may be delivered in x: each outcome sends and announces nothing, and the
//     next state of y is like x, or an outcome of the same event in x announces the same and sends at least the same, and the next
//     states are alike;
//   - the same for what is left of each outcome when the node crashes inside the step, or halts;
//   - what is down after a crash of y, whatever of its writes survives, or after a halt, is like x.
//
// A node is crash-insensitive when each of its known local states is like itself. Then for each execution there is one in which the node does not
// crash: the messages in flight are those of the first at least, other nodes and monitors are in the same states, and each is
// no better to an Always property. So it has all their violations. That is why the network must not mind what is in flight, and
// why nothing that is to happen in the end is kept: messages that nobody takes may have been lost. All local steps of executions without these
// crashes are known, so these are all that a node can be like.

// mostAlike is how many pairs are looked at for one node.
const mostAlike = 20_000

// mostUnsynced is how many unsynced writes a local state may have of which it is looked at what survives.
const mostUnsynced = 16

// statePair is a pair of local states: of a node that has crashed, and of one that has not.
type statePair struct{ crashed, uncrashed uint32 }

// simulationPair is a pair of which it is to be shown that the first is like the second.
type simulationPair struct {
	statePair
	obligations []crashObligation
	wrong       string           // it is not; "" with lost nil: so far it may be
	lost        *crashObligation // that it cannot do
}

func (l *simulationPair) fails() bool { return l.wrong != "" || l.lost != nil }

// crashObligation is something that a node may do once it has crashed. One of several pairs must be alike then.
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

// simulation are all pairs of one node that have to be looked at.
type simulation struct {
	r    *por.ReducedGraph
	node int
	ids  map[statePair]int
	list []simulationPair
	own  int // the first pairs are of a state with itself: so many
}

// Sensitive returns the uncrashed nodes that are not crash-insensitive, or not known to be, when all states have been visited. Nothing may be explored after it.
func Sensitive(r *por.ReducedGraph) (list []options.CrashSensitive) {
	var all []*simulation
	for node := range r.Nodes {
		if r.World.Uncrashed>>node&1 == 1 {
			a := &simulation{r: r, node: node, ids: map[statePair]int{}}
			a.gather()
			a.decide()
			all = append(all, a)
		}
	}
	for _, a := range all {
		list = a.tell(list)
	}
	if len(list) > 0 {
		return list
	}
	// Properties see the states after crashes of several nodes together.
	clear(r.Visibles)
	if !r.Mutated(por.NoOthersDown) {
		for _, a := range all {
			a.meet()
		}
	}
	r.Widen()
	for _, a := range all {
		a.lookAgain()
		list = a.tell(list)
	}
	return list
}

// gather makes the pairs and what is asked of each.
func (a *simulation) gather() {
	for _, id := range slices.Clone(a.r.Nodes[a.node].Met) {
		if a.r.Local(id).Up {
			a.pair(id, id)
		}
	}
	a.own = len(a.list)
	for k := 0; k < len(a.list); k++ {
		if a.list[k].wrong = a.ask(k); a.list[k].wrong == "" && a.r.Limited() {
			a.list[k].wrong = "there was no time to look at it"
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

// ask lists the obligations of a pair, or says what is wrong with it.
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
			return fmt.Sprintf("there more than %d writes are not synced", mostUnsynced)
		}
		if r.World.Quorums.Any {
			if _, err := r.World.Assemble(y, r.Nodes[a.node].Sent, true); err != nil {
				return fmt.Sprintf("it cannot be told what quorums take: %v", err)
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
			return fmt.Sprintf("not all can be looked at that comes of it when %s", r.StepText(y, f))
		}
		there := r.Step(x, f)
		for i := range o.List {
			p := &o.List[i]
			if p.Failed {
				if y == x {
					continue // which is found
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
				d.ends = a.ends(p.Next, x, p.Sends, p.Tells, there)
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

// events are those of a node after crashes that are to be looked at: its own, and what may be delivered where it would be without.
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

// downs are the obligations by crashes and halts between steps.
func (a *simulation) downs(y, x uint32) (duties []crashObligation, err error) {
	e := a.r.World.Engine
	if e.Crashing[a.node] && e.Sys.Crashes > 0 {
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
	if e.Halting[a.node] && e.Sys.Halts > 0 {
		down, err := e.HaltedState(sim.NodeID(a.node))
		if err != nil {
			return nil, err
		}
		duties = append(duties, crashObligation{kind: afterHalt, ends: []int{a.pair(down, x)}})
	}
	return duties, nil
}

// ends are the pairs of which one must be alike when a node comes to a local state, having sent and announced something: that with x, which did nothing,
// and those with what the same event leads to from there.
func (a *simulation) ends(next, x uint32, sends []statespace.EffectOp, tells []uint32, there *por.Outcomes) (ends []int) {
	if len(sends) == 0 && len(tells) == 0 {
		ends = append(ends, a.pair(next, x))
	}
	if there == nil {
		return ends
	}
	for i := range there.List {
		q := &there.List[i]
		if q.Failed || !within(sends, q.Sends) || !slices.Equal(tells, q.Tells) && !a.r.Mutated(por.NoSameNews) {
			continue
		}
		end := a.pair(next, q.Next)
		if next == q.Next && end < a.own {
			return []int{end} // this must be alike anyway
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

// within reports whether some datagrams, sorted, are among others, as often as they are there.
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

// cuts are the obligations by crashes and halts inside a step.
func (a *simulation) cuts(l *por.LocalState, f uint32, o *por.Outcome, x uint32, there *por.Outcomes) (duties []crashObligation, err error) {
	r, e := a.r, a.r.World.Engine
	if r.Mutated(por.NoCrashCuts) {
		return nil, nil
	}
	leaf, node := e.Trees.Leaves.At(o.Leaf), sim.NodeID(l.Node)
	add := func(down uint32, c stepinfo.Cut) {
		if c.Lost != 0 {
			return // what can be done where all was sent can be done where some of it was lost
		}
		sends, tells, _ := r.Heard(node, e.Trees.Leaves.At(o.Leaf).OpsLeft(c))
		duties = append(duties, crashObligation{kind: afterCut, act: f, ends: a.ends(down, x, sends, tells, there)})
	}
	if e.Halting[node] && leaf.HaltCuts > 0 {
		down, err := e.HaltedState(node)
		if err != nil {
			return nil, err
		}
		for _, c := range e.CutsOf(leaf, stepinfo.EffectKind.Heard) {
			add(down, c)
		}
	}
	if !e.Crashing[node] || leaf.CrashCuts == 0 {
		return duties, nil
	}
	for _, c := range e.CutsOf(leaf, stepinfo.EffectKind.Outlasts) {
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

// decide has pairs fail whose obligations cannot be done, until no more do.
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

// meet makes the states after crashes known to properties.
func (a *simulation) meet() {
	n := &a.r.Nodes[a.node]
	met := map[uint32]bool{}
	for _, id := range n.Met {
		met[id] = true
	}
	for k := range a.list {
		if id := a.list[k].crashed; !a.list[k].fails() && !met[id] {
			met[id] = true
			n.Met = append(n.Met, id)
		}
	}
}

// lookAgain decides once more, when states after crashes of other nodes are known.
func (a *simulation) lookAgain() {
	for k := range a.list {
		if m := &a.list[k]; !m.fails() && m.crashed != m.uncrashed {
			m.wrong = worse(a.r, a.node, m.crashed, m.uncrashed)
		}
	}
	a.decide()
}

// worse says which property a node in local state y may violate, or meet for the first time, and in x does not; "": none.
func worse(r *por.ReducedGraph, node int, y, x uint32) string {
	sometimes := len(r.World.Properties.Always) + len(r.World.Properties.Eventually)
	for k, p := range r.Properties() {
		switch {
		case k >= sometimes && r.World.Covering.Met[k-sometimes]:
		case p.InFlight && !r.Mutated(por.NoReads):
			return fmt.Sprintf("property %q reads the messages in flight", p.Name)
		case p.Wide && !r.Mutated(por.NoReads):
			return fmt.Sprintf("property %q reads more than can be looked at", p.Name)
		case !r.Mutated(por.NoBad) && !p.InFlight && r.Shows(p, node, por.Change{From: y, To: x}):
			return fmt.Sprintf("then property %q may say something else", p.Name)
		}
	}
	return ""
}
