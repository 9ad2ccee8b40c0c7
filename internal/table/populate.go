package table

import (
	"cmp"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

// Moves are found out by taking the steps that they stand for in the world, in a state in which they happen.

// populate finds out the transitions of a node configuration by events of a kind, in a packed vector that holds it.
func (s *nodeConfigs) populate(w *World, packed []uint32, node int, quiet bool, kind eventList) span {
	s.visit(w, packed)
	w.quiet = quiet
	var events []sim.Event
	if kind == crashEvents || kind == haltEvents {
		events = w.appendFailure(kind, sim.NodeID(node), nil) // whether the node stands for its process is asked in each state
	} else {
		events = w.appendList(kind, sim.NodeID(node), nil)
	}
	sp := s.populateTransitions(w, packed, node, events)
	s.tables[node].setSpan(listOf(packed[s.global], quiet, kind), packed[node], sp)
	return sp
}

// populateStream finds out the transitions of a node by an event of a stream.
func (s *nodeConfigs) populateStream(w *World, packed []uint32, ev sim.Event) span {
	s.visit(w, packed)
	return s.populateTransitions(w, packed, int(ev.Node), []sim.Event{ev})
}

// populateGlobal finds out what can happen by events of no node.
func (s *nodeConfigs) populateGlobal(w *World, packed []uint32) {
	s.visit(w, packed)
	id := packed[s.global]
	for kind := crashEvents; kind < eventLists; kind++ {
		s.globals[id].injects[kind] = w.mayInject(kind)
	}
	rest := &w.netGlobals.list[w.v[w.layout.netGlobals]]
	s.globals[id].breaks = rest.state.Left[sim.NetErrors] > 0 && w.layout.pairCount > 0
	global := s.populateTransitions(w, packed, -1, rest.global)
	faults := s.populateTransitions(w, packed, -1, w.netGlobals.list[s.globals[id].net].faults)
	s.globals[id].global, s.globals[id].faults = global, faults
}

// populateBreak finds out the global part once a connection broke.
func (s *nodeConfigs) populateBreak(w *World, packed []uint32, ev sim.Event) uint32 {
	s.visit(w, packed)
	w.inject(ev)
	broke := s.globalOf(w.v)
	s.globals[packed[s.global]].broke = broke + 1
	return broke
}

// breakOf is the transition that the break of a connection has for a name. No state has it among its transitions. 0: it has none.
func (s *nodeConfigs) breakOf(low, high int) uint32 {
	if !s.sleepSets {
		return 0
	}
	at := &s.breaks[s.e.layout.pair(sim.NodeID(low), sim.NodeID(high))]
	if *at == 0 {
		*at = s.span([]learned{{transition: transition{kind: globalTransition, note: uint8(low)}, peers: neverSleeps, struck: 1<<low | 1<<high}}, 0).begin
	}
	return *at
}

// visit makes a packed vector the state of the world.
func (s *nodeConfigs) visit(w *World, packed []uint32) {
	s.unpack(packed, s.worldVector)
	w.restore(s.worldVector)
}

// learned is a transition with the questions of its handler on the way to it.
type learned struct {
	transition
	peers   uint16 // see nodeConfigs
	struck  uint16 // likewise
	takes   uint32
	origin  uint32
	asked   []asked
	handled bool
}

// asked is an inner node of the tree of a step, and the branch that was taken.
type asked struct {
	inner uint32
	next  uint32
	room  bool
}

// populateTransitions appends the transitions of some events.
func (s *nodeConfigs) populateTransitions(w *World, packed []uint32, node int, events []sim.Event) span {
	steps := w.stats.Steps
	defer func() { w.stats.Steps = steps }()
	var list []learned
	sp := span{}
	for _, ev := range events {
		list, sp.handled = s.group(s.run(w, packed, node, ev), 0, ev, list, sp.handled)
	}
	return s.span(list, sp.handled)
}

func (s *nodeConfigs) span(list []learned, handled uint32) span {
	sp := span{begin: uint32(len(s.transitions)), handled: handled}
	changes, peers := uint32(0), uint16(0)
	for i := range list {
		m := &list[i]
		s.transitions, s.peers, s.disabledBy = append(s.transitions, m.transition), append(s.peers, m.peers), append(s.disabledBy, m.struck)
		s.takes, s.origins, s.commuting = append(s.takes, m.takes), append(s.origins, m.origin), append(s.commuting, 0)
		peers |= m.peers
		switch m.kind {
		case datagramTransition:
			changes = max(changes, uint32(m.count)+2)
		case mixedTransition:
			changes = max(changes, uint32(m.count)+2+uint32(s.global-s.monitors))
		case questionTransition:
			sp.handled |= spanAsks
		}
	}
	sp.most = changes<<sleepers | uint32(peers)
	sp.end = uint32(len(s.transitions))
	return sp
}

// run takes the steps of an event by all answers to the questions that are choices. It ends at a limit, which it notes, and
// at a step that diverges, as of the answers of an endless loop there are too many, see endless.
func (s *nodeConfigs) run(w *World, packed []uint32, node int, ev sim.Event) (runs []learned) {
	var diverges error
	shared := node >= 0 && len(s.e.groupOf(sim.NodeID(node))) > 0
	if shared && ev.Kind.TakesDown() {
		return []learned{s.shared(uncachedTransition{ev: ev})}
	}
	w.restore(s.worldVector)
	ordinary := w.ordinary(ev)
	for s.answers.Reset(); s.limited == nil && diverges == nil && s.answers.Next(); s.limited = s.answers.stop() {
		w.restore(s.worldVector)
		err := w.advance(&ev, &s.answers)
		var r learned
		if w.handled {
			r.asked = askedBefore(w, w.leaf)
		}
		slow := uncachedTransition{ev: ev, picks: s.answers.Path()}
		if shared && w.inside {
			slow.picks = slow.picks[:len(slow.picks)-w.askedOfGroup]
			if n := len(runs) - 1; n < 0 || runs[n].kind != groupTransition || !slices.Equal(s.uncached[runs[n].first].picks, slow.picks) {
				made := s.shared(slow)
				made.asked = r.asked
				runs = append(runs, made)
			}
			continue
		}
		ok := false
		if err == nil {
			if r.transition, ok = s.addTransition(w, packed, node, slow); ok {
				r.peers, r.struck = s.peersOf(&r.transition, &ev, r.asked, node, packed), s.nodesOf(&ev)
				if node >= 0 {
					r.takes, r.origin = s.takenBy(&ev, node, packed[node]), packed[node]
				}
			}
		}
		if r.handled = ok && w.handled; !ok {
			if closer(err) || overdue(err) {
				slow.err = err
			}
			r.transition, r.peers = transition{kind: uncachedStep, first: uint32(len(s.uncached))}, neverSleeps
			if node >= 0 {
				r.note = uint8(node) | noteLocal // it may lead elsewhere where it does not fail
			}
			s.uncached = append(s.uncached, slow)
			if s.endless(err, slow.picks) {
				diverges = err
			}
		}
		if ordinary && recovered(w, &s.answers) {
			r.note |= noteOrdinary
		}
		runs = append(runs, r)
	}
	if diverges != nil && ordinary && s.limited == nil {
		s.diverged(diverges, &s.answers)
	}
	return runs
}

// endless reports whether of a step that was answered so no other answers are to be gone through. It diverges: whoever takes the transitions ends
// there. Who looks for recovery goes on, unless it is in a loop that asks.
func (s *nodeConfigs) endless(err error, picks choose.Path) bool {
	return isDivergence(err) && (!s.tolerateFailures || len(picks) > loopAsks || overdue(err))
}

// loopAsks is how much a step may ask that diverges until that is taken for a loop.
const loopAsks = 64

// diverged notes that a step diverges, unless there are no other answers that it could be given.
func (s *nodeConfigs) diverged(err error, a *answers) {
	if !overdue(err) && a.Next() {
		s.unseen = cmp.Or(s.unseen, err)
	}
}

// shared is the transition for the steps that begin as slow says, in which a node falls that does not run alone in its process.
func (s *nodeConfigs) shared(slow uncachedTransition) learned {
	m := transition{kind: groupTransition, first: uint32(len(s.uncached)), note: uint8(slow.ev.Node) | noteLocal}
	s.uncached = append(s.uncached, slow)
	return learned{transition: m, peers: neverSleeps}
}

// askedBefore lists the questions on the way to a leaf, the step of which was taken last.
func askedBefore(w *World, id uint32) (list []asked) {
	v, _ := w.steps.roots.get(stepKey(w.step.local, w.step.event))
	at := ref(v)
	for _, answer := range w.steps.leaves.at(id).answers {
		q := w.steps.inner.at(uint32(at >> 1))
		a := asked{inner: uint32(at >> 1), next: uint32(answer), room: q.point.Arity == 0}
		if a.room {
			room := int(answer)
			if q.fresh {
				room = w.net.Capacity()
			}
			a.next = uint32(q.branch(room))
		}
		list = append(list, a)
		at = q.follow(int(a.next))
	}
	return list
}

// group appends moves to a list. Those on the way to which there was a question about room, after so many other ones,
// are kept apart, and the question is listed in their place.
func (s *nodeConfigs) group(runs []learned, from int, ev sim.Event, list []learned, handled uint32) ([]learned, uint32) {
	for len(runs) > 0 {
		r := &runs[0]
		k := slices.IndexFunc(r.asked[min(from, len(r.asked)):], func(a asked) bool { return a.room })
		if k < 0 {
			if list = append(list, *r); r.handled {
				handled++
			}
			runs = runs[1:]
			continue
		}
		k += from
		n := 1
		for n < len(runs) && len(runs[n].asked) > k && runs[n].asked[k].inner == r.asked[k].inner {
			n++
		}
		q := uint32(len(s.rooms))
		s.rooms = append(s.rooms, roomQuestion{s.e.steps.inner.at(r.asked[k].inner).roomAsked, nil, r.asked[k].inner, k, ev})
		s.answer(q, runs[:n])
		list = append(list, learned{transition: transition{kind: questionTransition, first: q}, peers: neverSleeps})
		runs = runs[n:]
	}
	return list, handled
}

// roomQuestion is a question of a handler about room in a stream, and what it does by the answers that are known.
type roomQuestion struct {
	roomAsked
	spans    []span // by branch
	question uint32 // in the tree of the step
	before   int    // so many other questions come before it
	ev       sim.Event
}

// answer keeps what a handler does by one answer to a question about room.
func (s *nodeConfigs) answer(q uint32, runs []learned) span {
	room := &s.rooms[q]
	branch, before := int(runs[0].asked[room.before].next), room.before
	sp := s.span(s.group(runs, before+1, room.ev, nil, 0))
	room = &s.rooms[q]
	for branch >= len(room.spans) {
		room.spans = append(room.spans, span{})
	}
	room.spans[branch] = sp
	return sp
}

// populateAnswer finds out what a handler does by the answer that a packed vector gives to a question about room.
func (s *nodeConfigs) populateAnswer(w *World, packed []uint32, q uint32) span {
	room := s.rooms[q]
	steps := w.stats.Steps
	defer func() { w.stats.Steps = steps }()
	s.visit(w, packed)
	runs := s.run(w, packed, int(room.ev.Node), room.ev)
	runs = slices.DeleteFunc(runs, func(r learned) bool {
		return len(r.asked) <= room.before || r.asked[room.before].inner != room.question
	})
	if len(runs) == 0 { // at a limit
		return span{}
	}
	return s.answer(q, runs)
}

// addTransition tells what the world's last step changed, ok being false when that does not fit into a transition.
func (s *nodeConfigs) addTransition(w *World, packed []uint32, node int, slow uncachedTransition) (m transition, ok bool) {
	s.pack(w.v, s.packedVector)
	m = transition{global: s.packedVector[s.global], first: uint32(len(s.ops)), kind: globalTransition}
	m.delta = s.globals[m.global].share.Sub(s.globals[packed[s.global]].share)
	d := draft{from: packed, changes: s.changes[:0]}
	d.set(s.global, m.global)
	if node < 0 {
		return m, d.is(s.packedVector)
	}
	p := &s.tables[node]
	m.kind, m.next, m.note = datagramTransition, s.packedVector[node], uint8(node)
	m.delta = m.delta.Add(p.shares[m.next]).Sub(p.shares[packed[node]])
	if p.list[m.next].local != p.list[packed[node]].local {
		m.note |= noteLocal
	}
	d.set(node, m.next)
	if s.ofStream(&slow.ev) {
		s.op(&m, s.stream(node, int(slow.ev.Peer), streamOps[slow.ev.Kind], 0))
	}
	refusable := w.handled && s.handle(w, packed, node, &m)
	if slow.ev.Kind == sim.Arrive {
		s.arrive(packed, node, &m)
		refusable = s.e.inboxes.bounded
	}
	if w.layout.pairCount > 0 && (w.inside || slow.ev.Kind.TakesDown()) {
		how := uint32(forNow)
		if w.halted || slow.ev.Kind == sim.Halt {
			how = forEver
		}
		for peer := range w.nodes {
			s.op(&m, s.stream(node, peer, opCrash, how))
		}
	}
	if refusable {
		s.op(&m, effectOp{opSlow << opPeer, uint32(len(s.uncached))})
		s.uncached = append(s.uncached, slow)
	}
	ok = len(s.ops)-int(m.first) <= mostOps && s.operate(&d, node, s.ops[m.first:]) && d.is(s.packedVector)
	s.changes = d.changes
	return m, ok
}

// handle lists the operations of the step of a handler, and reports whether monitors or full queues may refuse them.
func (s *nodeConfigs) handle(w *World, packed []uint32, node int, m *transition) (refusable bool) {
	severed := w.netGlobals.list[s.globals[packed[s.global]].net].severed[node]
	for _, o := range w.steps.leaves.at(w.leaf).left(w.happened) {
		peer := int(o.peer)
		switch o.kind {
		case kernel.SendEffect:
			if peer != node && severed>>peer&1 == 0 && !s.e.inboxes.holds {
				s.op(m, effectOp{uint32(peer), s.datagramTo(o.peer, sim.NodeID(node), o.id)})
				refusable = refusable || s.e.inboxes.bounded
			}
		case kernel.StreamEffect:
			s.op(m, s.stream(node, peer, opSend, o.id))
		case kernel.RefusedEffect:
			s.op(m, s.stream(node, peer, opRefuse, 0))
		case kernel.CloseEffect:
			s.op(m, s.stream(node, peer, opClose, 0))
		case kernel.AnnounceEffect:
			s.op(m, effectOp{opAnnounce << opPeer, o.id})
			refusable = true
		}
	}
	return refusable
}

// arrive lists the operation by which the first message that a node has yet to send arrives.
func (s *nodeConfigs) arrive(packed []uint32, node int, m *transition) {
	first := s.e.inboxes.list[s.tables[node].list[packed[node]].inbox].items[0]
	if to := int(^first.from); to != node {
		s.op(m, effectOp{uint32(to), s.datagramTo(sim.NodeID(to), sim.NodeID(node), first.msg)})
	}
}

// op appends an operation to those of a transition.
func (s *nodeConfigs) op(m *transition, o effectOp) {
	if o.kind() != opDatagram || slices.ContainsFunc(s.ops[m.first:], func(other effectOp) bool { return other.peer == o.peer }) {
		m.kind = mixedTransition
	}
	s.ops = append(s.ops, o)
	m.count++
}

// recovered reports whether the step of an ordinary event that was taken last is one of the recovery relation: its node
// did not crash inside, and all answers have weight.
func recovered(w *World, a *answers) bool { return !w.inside && !a.never }
