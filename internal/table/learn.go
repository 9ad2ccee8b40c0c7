package table

import (
	"cmp"
	"errors"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

// Moves are found out by taking the steps that they stand for in the world, in a state in which they happen.

// learn finds out the moves of a site by events of a kind, in a packed vector that holds it.
func (s *sites) learn(w *World, packed []uint32, node int, quiet bool, kind eventList) span {
	s.visit(w, packed)
	w.quiet = quiet
	var events []sim.Event
	if kind == crashEvents || kind == haltEvents {
		events = w.appendFall(kind, sim.NodeID(node), nil) // whether the node stands for its process is asked in each state
	} else {
		events = w.appendList(kind, sim.NodeID(node), nil)
	}
	sp := s.learnMoves(w, packed, node, events)
	s.places[node].setSpan(listOf(packed[s.frame], quiet, kind), packed[node], sp)
	return sp
}

// learnStream finds out the moves of a node by an event of a stream.
func (s *sites) learnStream(w *World, packed []uint32, ev sim.Event) span {
	s.visit(w, packed)
	return s.learnMoves(w, packed, int(ev.Node), []sim.Event{ev})
}

// learnFrame finds out what can happen by events of no node.
func (s *sites) learnFrame(w *World, packed []uint32) {
	s.visit(w, packed)
	id := packed[s.frame]
	for kind := crashEvents; kind < eventLists; kind++ {
		s.frames[id].injects[kind] = w.mayInject(kind)
	}
	rest := &w.rests.list[w.v[w.layout.rest]]
	s.frames[id].breaks = rest.state.Left.NetErrors > 0 && w.layout.pairCount > 0
	global := s.learnMoves(w, packed, -1, rest.global)
	faults := s.learnMoves(w, packed, -1, w.rests.list[s.frames[id].rest].faults)
	s.frames[id].global, s.frames[id].faults = global, faults
}

// learnBreak finds out the frame once a connection broke.
func (s *sites) learnBreak(w *World, packed []uint32, ev sim.Event) uint32 {
	s.visit(w, packed)
	w.inject(ev)
	broke := s.frameOf(w.v)
	s.frames[packed[s.frame]].broke = broke + 1
	return broke
}

// breakOf is the move that the break of a connection has for a name. No state has it among its moves. 0: it has none.
func (s *sites) breakOf(low, high int) uint32 {
	if !s.sleeps {
		return 0
	}
	at := &s.breaks[s.e.layout.pair(sim.NodeID(low), sim.NodeID(high))]
	if *at == 0 {
		*at = s.span([]learned{{move: move{kind: loneMove, note: uint8(low)}, peers: neverAsleep, struck: 1<<low | 1<<high}}, 0).begin
	}
	return *at
}

// visit makes a packed vector the state of the world.
func (s *sites) visit(w *World, packed []uint32) {
	s.unpack(packed, s.here)
	w.restore(s.here)
}

// learned is a move with the questions of its handler on the way to it.
type learned struct {
	move
	peers   uint16 // see sites
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

// learnMoves appends the moves of some events.
func (s *sites) learnMoves(w *World, packed []uint32, node int, events []sim.Event) span {
	steps := w.stats.Steps
	defer func() { w.stats.Steps = steps }()
	var list []learned
	sp := span{}
	for _, ev := range events {
		list, sp.handled = s.group(s.run(w, packed, node, ev), 0, ev, list, sp.handled)
	}
	return s.span(list, sp.handled)
}

func (s *sites) span(list []learned, handled uint32) span {
	sp := span{begin: uint32(len(s.moves)), handled: handled}
	changes, peers := uint32(0), uint16(0)
	for i := range list {
		m := &list[i]
		s.moves, s.peers, s.struck = append(s.moves, m.move), append(s.peers, m.peers), append(s.struck, m.struck)
		s.takes, s.origins, s.diamonds = append(s.takes, m.takes), append(s.origins, m.origin), append(s.diamonds, 0)
		peers |= m.peers
		switch m.kind {
		case fastMove:
			changes = max(changes, uint32(m.count)+2)
		case mixedMove:
			changes = max(changes, uint32(m.count)+2+uint32(s.frame-s.monitors))
		case questionMove:
			sp.handled |= spanAsks
		}
	}
	sp.most = changes<<sleepers | uint32(peers)
	sp.end = uint32(len(s.moves))
	return sp
}

// run takes the steps of an event by all answers to the questions that are choices. It ends at a limit, which it notes, and
// at a step that diverges, as of the answers of an endless loop there are too many, see endless.
func (s *sites) run(w *World, packed []uint32, node int, ev sim.Event) (runs []learned) {
	var diverges error
	shared := node >= 0 && len(s.e.matesOf(sim.NodeID(node))) > 0
	if shared && ev.Kind.TakesDown() {
		return []learned{s.shared(slowMove{ev: ev})}
	}
	w.restore(s.here)
	ordinary := w.ordinary(ev)
	for s.answers.Reset(); s.limited == nil && diverges == nil && s.answers.Next(); s.limited = s.answers.stop() {
		w.restore(s.here)
		err := w.advance(&ev, &s.answers)
		var r learned
		if w.handled {
			r.asked = w.asked(w.leaf)
		}
		slow := slowMove{ev: ev, picks: s.answers.Path()}
		if shared && w.inside {
			slow.picks = slow.picks[:len(slow.picks)-w.askedOfMates]
			if n := len(runs) - 1; n < 0 || runs[n].kind != sharedMove || !slices.Equal(s.slow[runs[n].first].picks, slow.picks) {
				made := s.shared(slow)
				made.asked = r.asked
				runs = append(runs, made)
			}
			continue
		}
		ok := false
		if err == nil {
			if r.move, ok = s.move(w, packed, node, slow); ok {
				r.peers, r.struck = s.peersOf(&r.move, &ev, r.asked, node, packed), s.struckBy(&ev)
				if node >= 0 {
					r.takes, r.origin = s.takenBy(&ev, node, packed[node]), packed[node]
				}
			}
		}
		if r.handled = ok && w.handled; !ok {
			if closer(err) || overdue(err) {
				slow.err = err
			}
			r.move, r.peers = move{kind: slowStep, first: uint32(len(s.slow))}, neverAsleep
			if node >= 0 {
				r.note = uint8(node) | noteLocal // it may lead elsewhere where it does not fail
			}
			s.slow = append(s.slow, slow)
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

// endless reports whether of a step that was answered so no other answers are to be gone through. It diverges: whoever takes the moves ends
// there. Who looks for recovery goes on, unless it is in a loop that asks.
func (s *sites) endless(err error, picks choose.Path) bool {
	return isDivergence(err) && (!s.beside || len(picks) > loopAsks || overdue(err))
}

// loopAsks is how much a step may ask that diverges until that is taken for a loop.
const loopAsks = 64

// diverged notes that a step diverges, unless there are no other answers that it could be given.
func (s *sites) diverged(err error, a *answers) {
	if !overdue(err) && a.Next() {
		s.unseen = cmp.Or(s.unseen, err)
	}
}

// shared is the move for the steps that begin as slow says, in which a node falls that does not run alone in its process.
func (s *sites) shared(slow slowMove) learned {
	m := move{kind: sharedMove, first: uint32(len(s.slow)), note: uint8(slow.ev.Node) | noteLocal}
	s.slow = append(s.slow, slow)
	return learned{move: m, peers: neverAsleep}
}

// asked lists the questions on the way to a leaf, the step of which was taken last.
func (w *World) asked(id uint32) (list []asked) {
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
func (s *sites) group(runs []learned, from int, ev sim.Event, list []learned, handled uint32) ([]learned, uint32) {
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
		list = append(list, learned{move: move{kind: questionMove, first: q}, peers: neverAsleep})
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
func (s *sites) answer(q uint32, runs []learned) span {
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

// learnAnswer finds out what a handler does by the answer that a packed vector gives to a question about room.
func (s *sites) learnAnswer(w *World, packed []uint32, q uint32) span {
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

// move tells what the world's last step changed, ok being false when that does not fit into a move.
func (s *sites) move(w *World, packed []uint32, node int, slow slowMove) (m move, ok bool) {
	s.pack(w.v, s.there)
	m = move{frame: s.there[s.frame], first: uint32(len(s.ops)), kind: loneMove}
	m.delta = s.frames[m.frame].share.Sub(s.frames[packed[s.frame]].share)
	d := draft{from: packed, changes: s.changes[:0]}
	d.set(s.frame, m.frame)
	if node < 0 {
		return m, d.is(s.there)
	}
	p := &s.places[node]
	m.kind, m.next, m.note = fastMove, s.there[node], uint8(node)
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
		refusable = s.e.bags.bounded
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
		s.op(&m, moveOp{opSlow << opPeer, uint32(len(s.slow))})
		s.slow = append(s.slow, slow)
	}
	ok = len(s.ops)-int(m.first) <= mostOps && s.operate(&d, node, s.ops[m.first:]) && d.is(s.there)
	s.changes = d.changes
	return m, ok
}

// handle lists the operations of the step of a handler, and reports whether monitors or full queues may refuse them.
func (s *sites) handle(w *World, packed []uint32, node int, m *move) (refusable bool) {
	severed := w.rests.list[s.frames[packed[s.frame]].rest].severed[node]
	for _, o := range w.steps.leaves.at(w.leaf).left(w.happened) {
		peer := int(o.peer)
		switch o.kind {
		case kernel.SendEffect:
			if peer != node && severed>>peer&1 == 0 && !s.e.bags.holds {
				s.op(m, moveOp{uint32(peer), s.datagramTo(o.peer, sim.NodeID(node), o.id)})
				refusable = refusable || s.e.bags.bounded
			}
		case kernel.StreamEffect:
			s.op(m, s.stream(node, peer, opSend, o.id))
		case kernel.RefusedEffect:
			s.op(m, s.stream(node, peer, opRefuse, 0))
		case kernel.CloseEffect:
			s.op(m, s.stream(node, peer, opClose, 0))
		case kernel.AnnounceEffect:
			s.op(m, moveOp{opAnnounce << opPeer, o.id})
			refusable = true
		}
	}
	return refusable
}

// arrive lists the operation by which the first message that a node has yet to send arrives.
func (s *sites) arrive(packed []uint32, node int, m *move) {
	first := s.e.bags.list[s.places[node].list[packed[node]].bag].items[0]
	if to := int(^first.from); to != node {
		s.op(m, moveOp{uint32(to), s.datagramTo(sim.NodeID(to), sim.NodeID(node), first.msg)})
	}
}

// op appends an operation to those of a move.
func (s *sites) op(m *move, o moveOp) {
	if o.kind() != opDatagram || slices.ContainsFunc(s.ops[m.first:], func(other moveOp) bool { return other.peer == o.peer }) {
		m.kind = mixedMove
	}
	s.ops = append(s.ops, o)
	m.count++
}

// isDivergence reports whether a handler did not come to its end, which has no other cause than its node's state.
func isDivergence(err error) bool {
	f, ok := errors.AsType[*sim.Finding](err)
	return ok && f.Kind == sim.Divergence
}

// recovered reports whether the step of an ordinary event that was taken last is one of the recovery relation: its node
// did not crash inside, and all answers have weight.
func recovered(w *World, a *answers) bool { return !w.inside && !a.never }
