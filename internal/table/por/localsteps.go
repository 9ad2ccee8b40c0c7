package por

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/table/statespace"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/sim"
)

// Act is an event of a node, independent of the state.
type Act struct {
	Kind  eventkind.Kind
	slot  int32      // of an action: its index
	timer any        // of a timer: its value
	From  sim.NodeID // of a delivery
	Msg   uint32     // of a delivery; or of a quorum: the set
}

// actor holds the known events and local states of a node.
type actor struct {
	Acts    []Act
	ids     map[Act]uint32
	Reached []uint32          // local states
	Sent    []store.InboxItem // datagrams for its quorums, by known steps; only grows
	is      map[statespace.Datagram]bool

	// One local state for each combination of values of node predicates.
	list       []uint32
	alike      map[uint64]bool
	classified int // number of local states of Reached in list or alike to one there
	predicates int
	hangs      bool // a predicate does not return

	endless int // number of abandoned closures
}

func (n *actor) Id(a Act) uint32 {
	id, ok := n.ids[a]
	if !ok {
		id = uint32(len(n.Acts))
		n.ids[a] = id
		n.Acts = append(n.Acts, a)
	}
	return id
}

// LocalState holds the known steps of a local state.
type LocalState struct {
	Node    int
	Up      bool
	Reached bool             // a reached state contains it
	Own     []uint32         // events independent of the network
	Events  []netmodel.Event // the same, as listed in the local state
	Steps   map[uint32]*Outcomes
	Knows   map[uint32]bool // known steps
	Known   []uint32        // the same, in order

	taking taking // the sets that its quorums can take
	kept   int    // its quorums keep their contracts for the first kept-1 sent datagrams
}

// Outcomes are the outcomes of an event in a local state. Nil means that it cannot happen there.
type Outcomes struct {
	List   []Outcome
	noop   bool // it has no effect
	silent bool // a delivery, timer, action or quorum whose outcomes are ordinary, do not fail, and announce nothing
	Unsure bool // there may be more outcomes
}

// Outcome is one outcome of an event.
type Outcome struct {
	Leaf      uint32
	Picks     []int32
	Next      uint32                // local state
	Sends     []statespace.EffectOp // datagrams, sorted
	Announced []uint32              // announced events
	Failed    bool
	Ordinary  bool
}

// mostOutcomes is the maximum number of outcomes of an event that are listed.
const mostOutcomes = 1 << 10

// Local returns the known steps of a local state.
func (r *ReducedGraph) Local(id uint32) *LocalState {
	for int(id) >= len(r.locals) {
		r.locals = append(r.locals, nil)
	}
	if l := r.locals[id]; l != nil {
		return l
	}
	from := &r.World.Engine.Locals.List[id]
	l := &LocalState{Node: int(from.Node), Up: from.State.Up(), Steps: map[uint32]*Outcomes{}, Knows: map[uint32]bool{}}
	for _, ev := range from.Events {
		a := Act{Kind: ev.Kind, slot: ev.Slot}
		if ev.Kind == eventkind.FireTimer {
			a.slot, a.timer = 0, from.State.Timer(ev.Slot) // slot numbers depend on the other armed timers
		}
		l.Own, l.Events = append(l.Own, r.Nodes[l.Node].Id(a)), append(l.Events, ev)
	}
	r.locals[id] = l
	return l
}

// reach records that a node may be in a local state.
func (r *ReducedGraph) reach(id uint32) *LocalState {
	l := r.Local(id)
	if !l.Reached {
		r.Add(id, l)
		if r.Permuter != nil {
			r.Permuter.CompareLocal(id)
		}
	}
	return l
}

func (r *ReducedGraph) Add(id uint32, l *LocalState) {
	l.Reached = true
	r.known++
	r.Nodes[l.Node].Reached = append(r.Nodes[l.Node].Reached, id)
}

// know records that an event may happen in a local state.
func (r *ReducedGraph) know(id, a uint32) {
	if l := r.reach(id); !l.Knows[a] {
		r.Learn(id, l, a)
		if r.Permuter != nil {
			r.Permuter.CompareStep(id, a)
		}
	}
}

func (r *ReducedGraph) Learn(id uint32, l *LocalState, a uint32) {
	l.Knows[a] = true
	l.Known = append(l.Known, a)
	r.known++
	if r.World.Quorums.Any {
		r.sendsOf(id, a)
	}
}

// Delivers reports whether an event of a node delivers a datagram.
func (r *ReducedGraph) Delivers(node int, a uint32) bool {
	return r.Nodes[node].Acts[a].Kind == eventkind.Deliver
}

// Step returns the outcomes of an event in a local state.
func (r *ReducedGraph) Step(id, a uint32) *Outcomes {
	l := r.Local(id)
	o, ok := l.Steps[a]
	if !ok {
		o = r.run(id, l, a)
		l.Steps[a] = o
	}
	return o
}

func (r *ReducedGraph) run(id uint32, l *LocalState, a uint32) *Outcomes {
	w, node := r.World, sim.NodeID(l.Node)
	s, can := r.stepOf(id, l, a)
	if !can {
		return nil
	}
	steps, unlisted := w.Counters.Steps, w.Unlisted
	defer func() { w.Counters.Steps, w.Unlisted = steps, unlisted }()
	w.Acting = node
	kind := s.Event.Kind
	ordinary := w.RecoveryKind(kind) && !r.disturbs(&s)
	o := &Outcomes{noop: true, silent: kind == eventkind.Deliver || kind == eventkind.FireTimer || kind == eventkind.DoAction ||
		kind == eventkind.TakeQuorum}
	r.Answers.Sampled = nil
	for r.Answers.Reset(); r.Answers.Next(); {
		leaf, err := w.Walk(&s, &r.Answers, w)
		if err != nil || len(o.List) == mostOutcomes {
			r.cannot(kind, err)
			o.Unsure, o.noop, o.silent = true, false, false
			return o
		}
		if len(o.List)%steptree.AnswersAtOnce == steptree.AnswersAtOnce-1 && r.Limited() || store.IsDivergence(w.Trees.Leaves.At(leaf).Err) {
			o.Unsure, o.noop, o.silent = true, false, false // an endless loop of questions has too many answers
			return o
		}
		out := r.outcome(leaf, &s)
		out.Ordinary = ordinary && !r.Answers.Weightless
		o.noop = o.noop && !out.Failed && out.Next == id && len(out.Sends) == 0 && len(out.Announced) == 0
		o.silent = o.silent && !out.Failed && out.Ordinary && len(out.Announced) == 0
		o.List = append(o.List, out)
	}
	if len(r.Answers.Sampled) > 0 {
		o.Unsure, o.noop, o.silent = true, false, false
	}
	return o
}

// stepOf returns the situation in which an event happens in a local state, for look-up. It returns false if the
// event cannot happen.
func (r *ReducedGraph) stepOf(id uint32, l *LocalState, a uint32) (s store.Situation, can bool) {
	w, node := r.World, sim.NodeID(l.Node)
	switch x := &r.Nodes[node].Acts[a]; x.Kind {
	case eventkind.Deliver:
		return store.Situation{
			Local: id, EventID: w.EventID(store.DeliverEvent, x.From, x.Msg), Message: x.Msg,
			Event: netmodel.Event{Kind: eventkind.Deliver, Node: node, Peer: x.From, Msgs: 1},
		}, l.Up && !r.ForQuorum(id, x)
	case eventkind.TakeQuorum:
		return store.Situation{
			Local: id, EventID: w.EventID(store.QuorumEvent, 0, x.Msg), Message: x.Msg,
			Event: netmodel.Event{Kind: eventkind.TakeQuorum, Node: node, Peer: -1, Msgs: int32(len(w.Quorums.Sets[x.Msg].Msgs))},
		}, l.Up && r.takes(id, x.Msg)
	}
	k := slices.Index(l.Own, a)
	if k < 0 {
		return s, false
	}
	w.Vector[node] = id
	w.Prepare(&l.Events[k])
	return w.Current, true
}

// disturbs reports whether the system excludes an event from recovery.
func (r *ReducedGraph) disturbs(s *store.Situation) bool {
	return r.World.Disturbing.Has(s.Event, func() any {
		switch s.Event.Kind {
		case eventkind.FireTimer:
			return r.World.Locals.List[s.Local].State.Timer(s.Event.Slot)
		case eventkind.TakeQuorum:
			return r.World.Contents.List[r.World.Quorums.Sets[s.Message].Msgs[0]].Body
		}
		return r.World.Contents.List[s.Message].Body
	})
}

// outcome converts a leaf.
func (r *ReducedGraph) outcome(id uint32, s *store.Situation) Outcome {
	w := r.World
	l := w.Trees.Leaves.At(id)
	out := Outcome{
		Leaf: id, Picks: r.Answers.Path(), Next: l.Next,
		Failed: l.Err != nil || int(l.Failed) < len(l.Effects),
	}
	var others bool
	out.Sends, out.Announced, others = r.Heard(s.Event.Node, l.Ops)
	if r.Mutated(NoMonitors) {
		out.Announced = nil
	}
	out.Failed = out.Failed || others
	return out
}

// Heard returns what operations of a node send (sorted) and announce, and whether there are other operations.
func (r *ReducedGraph) Heard(node sim.NodeID, ops []steptree.Op) (sends []statespace.EffectOp, announces []uint32, others bool) {
	for _, o := range ops {
		switch {
		case o.Kind == stepinfo.AnnounceEffect:
			announces = append(announces, o.ID)
		case o.Kind == stepinfo.SendEffect && r.World.Layout.InboxCount > 0:
			sends = append(sends, statespace.EffectOp{Peer: uint32(o.Peer), Index: r.Configs.DatagramTo(o.Peer, node, o.ID)})
		default:
			others = true
		}
	}
	slices.SortFunc(sends, func(a, b statespace.EffectOp) int {
		return cmp.Or(cmp.Compare(a.Peer, b.Peer), cmp.Compare(a.Index, b.Index))
	})
	return sends, announces, others
}

// cannot records an error that prevents the execution of a step. Findings do not count: the node may never reach
// the local state with that event, and sets that are never taken may depend on their order.
func (r *ReducedGraph) cannot(kind eventkind.Kind, err error) {
	var f *sim.Finding
	var refused *encoding.Error
	if err == nil || errors.As(err, &refused) || errors.As(err, &f) && (f.Kind != sim.Nondeterminism || kind == eventkind.TakeQuorum) {
		return
	}
	r.Err = cmp.Or(r.Err, err)
}

// StepText describes a step.
func (r *ReducedGraph) StepText(id, a uint32) string {
	l := r.Local(id)
	what := ""
	switch x := &r.Nodes[l.Node].Acts[a]; x.Kind {
	case eventkind.Deliver:
		what = fmt.Sprintf("receives %+v from n%d", r.World.Contents.List[x.Msg].Body, x.From)
	case eventkind.TakeQuorum:
		set := &r.World.Quorums.Sets[x.Msg]
		what = fmt.Sprintf("takes %s from %v", r.World.Sys.QuorumNames()[set.Quorum], set.From)
	case eventkind.FireTimer:
		what = fmt.Sprintf("has its timer %+v fire", x.timer)
	case eventkind.DoAction:
		what = fmt.Sprintf("does %q", r.World.Sys.ActionNames()[x.slot])
	default:
		what = x.Kind.String() + "s"
	}
	return fmt.Sprintf("n%d %s", l.Node, what)
}
