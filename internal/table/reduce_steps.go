package table

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

// act is an event of a node, whatever the state that it happens in.
type act struct {
	kind  sim.EventKind
	slot  int32      // of an action: which
	timer any        // of a timer: its value
	from  sim.NodeID // of a delivery
	msg   uint32     // of what a quorum takes: the set
}

// actor is what is known of a node.
type actor struct {
	acts []act
	ids  map[act]uint32
	met  []uint32    // local states
	sent []inboxItem // to its quorums, by known steps: grows only
	is   map[datagram]bool

	// One local state for each combination of what node predicates say, of the first ones.
	list       []uint32
	alike      map[uint64]bool
	told       int // so many
	predicates int
	hangs      bool // one of them does not return

	endless int // walks that were given up
}

func (n *actor) id(a act) uint32 {
	id, ok := n.ids[a]
	if !ok {
		id = uint32(len(n.acts))
		n.ids[a] = id
		n.acts = append(n.acts, a)
	}
	return id
}

// localState is what is known of a local state.
type localState struct {
	node   int
	up     bool
	met    bool
	own    []uint32    // events in which the network has no part
	events []sim.Event // these, as they are listed there
	steps  map[uint32]*outcomes
	knows  map[uint32]bool // known steps
	known  []uint32        // these, in order

	taking taking // what its quorums take
	kept   int    // they keep what they say, when so much, less one, was ever sent
}

// outcomes are all that an event can do in a local state; nil: it cannot happen there.
type outcomes struct {
	list   []outcome
	noop   bool // nothing
	plain  bool // all of it is ordinary, and goes well, and nothing is announced
	unsure bool // packedVector is more of it
}

// outcome is one of them.
type outcome struct {
	leaf     uint32
	picks    []int32
	next     uint32     // local state
	sends    []effectOp // datagrams, sorted
	tells    []uint32   // announced events
	failed   bool
	ordinary bool
}

// mostOutcomes is how many outcomes of one event are looked at.
const mostOutcomes = 1 << 10

// local returns what is known of a local state.
func (r *reduction) local(id uint32) *localState {
	for int(id) >= len(r.locals) {
		r.locals = append(r.locals, nil)
	}
	if l := r.locals[id]; l != nil {
		return l
	}
	from := &r.w.engine.locals.list[id]
	l := &localState{node: int(from.node), up: from.state.Up(), steps: map[uint32]*outcomes{}, knows: map[uint32]bool{}}
	for _, ev := range from.events {
		a := act{kind: ev.Kind, slot: ev.Slot}
		if ev.Kind == sim.FireTimer {
			a.slot, a.timer = 0, from.state.Timer(ev.Slot) // slots are numbered by what else is armed
		}
		l.own, l.events = append(l.own, r.nodes[l.node].id(a)), append(l.events, ev)
	}
	r.locals[id] = l
	return l
}

// meet notes that a node may be in a local state.
func (r *reduction) meet(id uint32) *localState {
	l := r.local(id)
	if !l.met {
		r.add(id, l)
		if r.sym != nil {
			r.sym.meets(id)
		}
	}
	return l
}

func (r *reduction) add(id uint32, l *localState) {
	l.met = true
	r.known++
	r.nodes[l.node].met = append(r.nodes[l.node].met, id)
}

// know notes that an event may happen in a local state.
func (r *reduction) know(id, a uint32) {
	if l := r.meet(id); !l.knows[a] {
		r.learn(id, l, a)
		if r.sym != nil {
			r.sym.knows(id, a)
		}
	}
}

func (r *reduction) learn(id uint32, l *localState, a uint32) {
	l.knows[a] = true
	l.known = append(l.known, a)
	r.known++
	if r.w.quorums.any {
		r.sendsOf(id, a)
	}
}

// delivers reports whether an event of a node delivers a datagram.
func (r *reduction) delivers(node int, a uint32) bool {
	return r.nodes[node].acts[a].kind == sim.Deliver
}

// step returns what an event does in a local state.
func (r *reduction) step(id, a uint32) *outcomes {
	l := r.local(id)
	o, ok := l.steps[a]
	if !ok {
		o = r.run(id, l, a)
		l.steps[a] = o
	}
	return o
}

func (r *reduction) run(id uint32, l *localState, a uint32) *outcomes {
	w, node := r.w, sim.NodeID(l.node)
	s, can := r.stepOf(id, l, a)
	if !can {
		return nil
	}
	steps, unlisted := w.stats.Steps, w.unlisted
	defer func() { w.stats.Steps, w.unlisted = steps, unlisted }()
	w.acting = node
	kind := s.ev.Kind
	ordinary := w.recovers(kind) && !r.disturbs(&s)
	o := &outcomes{noop: true, plain: kind == sim.Deliver || kind == sim.FireTimer || kind == sim.DoAction || kind == sim.TakeQuorum}
	r.answers.sampled = nil
	for r.answers.Reset(); r.answers.Next(); {
		leaf, err := w.walk(&s, &r.answers, w)
		if err != nil || len(o.list) == mostOutcomes {
			r.cannot(kind, err)
			o.unsure, o.noop, o.plain = true, false, false
			return o
		}
		if len(o.list)%answersAtOnce == answersAtOnce-1 && r.limited() || isDivergence(w.steps.leaves.at(leaf).err) {
			o.unsure, o.noop, o.plain = true, false, false // of the answers of an endless loop there are too many
			return o
		}
		out := r.outcome(leaf, &s)
		out.ordinary = ordinary && !r.answers.never
		o.noop = o.noop && !out.failed && out.next == id && len(out.sends) == 0 && len(out.tells) == 0
		o.plain = o.plain && !out.failed && out.ordinary && len(out.tells) == 0
		o.list = append(o.list, out)
	}
	if len(r.answers.sampled) > 0 {
		o.unsure, o.noop, o.plain = true, false, false
	}
	return o
}

// stepOf is an event in a local state, as it is looked up; false: it cannot happen there.
func (r *reduction) stepOf(id uint32, l *localState, a uint32) (s stepOf, can bool) {
	w, node := r.w, sim.NodeID(l.node)
	switch x := &r.nodes[node].acts[a]; x.kind {
	case sim.Deliver:
		return stepOf{
			local: id, event: w.eventID(deliverEvent, x.from, x.msg), msg: x.msg,
			ev: sim.Event{Kind: sim.Deliver, Node: node, Peer: x.from, Msgs: 1},
		}, l.up && !r.forQuorum(id, x)
	case sim.TakeQuorum:
		return stepOf{
			local: id, event: w.eventID(quorumEvent, 0, x.msg), msg: x.msg,
			ev: sim.Event{Kind: sim.TakeQuorum, Node: node, Peer: -1, Msgs: int32(len(w.quorums.sets[x.msg].msgs))},
		}, l.up && r.takes(id, x.msg)
	}
	k := slices.Index(l.own, a)
	if k < 0 {
		return s, false
	}
	w.v[node] = id
	w.prepare(&l.events[k])
	return w.step, true
}

// disturbs reports whether an event is no part of recovery by what the system says.
func (r *reduction) disturbs(s *stepOf) bool {
	d := r.w.disturbing
	switch {
	case d.Event(s.ev):
		return true
	case !d.Asks(s.ev.Kind):
		return false
	case s.ev.Kind == sim.FireTimer:
		return d.Hands(s.ev.Kind, r.w.locals.list[s.local].state.Timer(s.ev.Slot))
	case s.ev.Kind == sim.TakeQuorum:
		return d.Hands(s.ev.Kind, r.w.messages.list[r.w.quorums.sets[s.msg].msgs[0]].Body)
	}
	return d.Hands(s.ev.Kind, r.w.messages.list[s.msg].Body)
}

// outcome is what a leaf says.
func (r *reduction) outcome(id uint32, s *stepOf) outcome {
	w := r.w
	l := w.steps.leaves.at(id)
	out := outcome{
		leaf: id, picks: r.answers.Path(), next: l.next,
		failed: l.err != nil || int(l.failed) < len(l.effects),
	}
	var others bool
	out.sends, out.tells, others = r.heard(s.ev.Node, l.ops)
	if r.mutated(noMonitors) {
		out.tells = nil
	}
	out.failed = out.failed || others
	return out
}

// heard is what operations of a node send, sorted, and announce, and whether there are others.
func (r *reduction) heard(node sim.NodeID, ops []op) (sends []effectOp, tells []uint32, others bool) {
	for _, o := range ops {
		switch {
		case o.kind == kernel.AnnounceEffect:
			tells = append(tells, o.id)
		case o.kind == kernel.SendEffect && r.w.layout.inboxCount > 0:
			sends = append(sends, effectOp{uint32(o.peer), r.sites.datagramTo(o.peer, node, o.id)})
		default:
			others = true
		}
	}
	slices.SortFunc(sends, func(a, b effectOp) int { return cmp.Or(cmp.Compare(a.peer, b.peer), cmp.Compare(a.index, b.index)) })
	return sends, tells, others
}

// cannot notes what keeps a step from being looked at. The local state may be one that the node never comes to with that event:
// what is wrong there is no finding, and sets that are never taken may well depend on their order.
func (r *reduction) cannot(kind sim.EventKind, err error) {
	var f *sim.Finding
	var refused *sim.StateError
	if err == nil || errors.As(err, &refused) || errors.As(err, &f) && (f.Kind != sim.Nondeterminism || kind == sim.TakeQuorum) {
		return
	}
	r.err = cmp.Or(r.err, err)
}

// does says what a step is.
func (r *reduction) does(id, a uint32) string {
	l := r.local(id)
	what := ""
	switch x := &r.nodes[l.node].acts[a]; x.kind {
	case sim.Deliver:
		what = fmt.Sprintf("receives %+v from n%d", r.w.messages.list[x.msg].Body, x.from)
	case sim.TakeQuorum:
		set := &r.w.quorums.sets[x.msg]
		what = fmt.Sprintf("takes %s from %v", r.w.sys.QuorumNames()[set.quorum], set.from)
	case sim.FireTimer:
		what = fmt.Sprintf("has its timer %+v fire", x.timer)
	case sim.DoAction:
		what = fmt.Sprintf("does %q", r.w.sys.ActionNames()[x.slot])
	default:
		what = x.kind.String() + "s"
	}
	return fmt.Sprintf("n%d %s", l.node, what)
}
