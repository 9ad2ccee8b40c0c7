package statespace

import (
	"cmp"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/internal/table/world"
	"github.com/macemc/macemc/sim"
)

// Transitions are computed by taking their steps in the world, in a state in which they are enabled.

// populate computes the transitions of a node for events of a kind, in the state of a packed vector.
func (s *NodeConfigs) populate(w *world.World, packed []uint32, node int, quiet bool, kind world.EventList) span {
	s.visit(w, packed)
	w.Quiet = quiet
	var events []netmodel.Event
	if kind == world.CrashEvents || kind == world.HaltEvents {
		events = w.AppendFailure(kind, sim.NodeID(node), nil) // each state decides whether the node leads its process
	} else {
		events = w.AppendList(kind, sim.NodeID(node), nil)
	}
	sp := s.populateTransitions(w, packed, node, events)
	s.Tables[node].setSpan(listOf(packed[s.Global], quiet, kind), packed[node], sp)
	return sp
}

// populateStream computes the transitions of a node for a stream event.
func (s *NodeConfigs) populateStream(w *world.World, packed []uint32, ev netmodel.Event) span {
	s.visit(w, packed)
	return s.populateTransitions(w, packed, int(ev.Node), []netmodel.Event{ev})
}

// populateGlobal computes the steps of events without a node.
func (s *NodeConfigs) populateGlobal(w *world.World, packed []uint32) {
	s.visit(w, packed)
	id := packed[s.Global]
	for kind := world.CrashEvents; kind < world.EventLists; kind++ {
		s.Globals[id].injects[kind] = w.MayInject(kind)
	}
	rest := &w.NetGlobals.List[w.Vector[w.Layout.NetGlobals]]
	s.Globals[id].breaks = rest.State.Left[sim.NetErrors] > 0 && w.Layout.PairCount > 0
	global := s.populateTransitions(w, packed, -1, rest.Global)
	faults := s.populateTransitions(w, packed, -1, w.NetGlobals.List[s.Globals[id].Net].Faults)
	s.Globals[id].global, s.Globals[id].faults = global, faults
}

// populateBreak computes the global part after a break of a connection.
func (s *NodeConfigs) populateBreak(w *world.World, packed []uint32, ev netmodel.Event) uint32 {
	s.visit(w, packed)
	w.Inject(ev)
	broke := s.globalOf(w.Vector)
	s.Globals[packed[s.Global]].broke = broke + 1
	return broke
}

// breakOf returns the transition that names the break of a connection, or 0 if it has none. It is not among the
// transitions of any state.
func (s *NodeConfigs) breakOf(low, high int) uint32 {
	if !s.SleepSets {
		return 0
	}
	at := &s.breaks[s.Engine.Layout.Pair(sim.NodeID(low), sim.NodeID(high))]
	if *at == 0 {
		*at = s.span([]computed{{transition: transition{Kind: globalTransition, note: uint8(low)}, peers: NeverSleeps,
			struck: 1<<low | 1<<high}}, 0).begin
	}
	return *at
}

// visit sets the world to the state of a packed vector.
func (s *NodeConfigs) visit(w *world.World, packed []uint32) {
	s.Unpack(packed, s.worldVector)
	w.Restore(s.worldVector)
}

// computed is a transition, with the questions of its handler.
type computed struct {
	transition
	peers   uint16 // see NodeConfigs
	struck  uint16 // see NodeConfigs
	takes   uint32
	origin  uint32
	asked   []asked
	handled bool
}

// asked is an inner node of a decision tree, and the branch that was taken.
type asked struct {
	inner uint32
	next  uint32
	room  bool
}

// populateTransitions appends the transitions of some events.
func (s *NodeConfigs) populateTransitions(w *world.World, packed []uint32, node int, events []netmodel.Event) span {
	steps := w.Counters.Steps
	defer func() { w.Counters.Steps = steps }()
	var list []computed
	sp := span{}
	for _, ev := range events {
		list, sp.handled = s.group(s.run(w, packed, node, ev), 0, ev, list, sp.handled)
	}
	return s.span(list, sp.handled)
}

func (s *NodeConfigs) span(list []computed, handled uint32) span {
	sp := span{begin: uint32(len(s.Transitions)), handled: handled}
	changes, peers := uint32(0), uint16(0)
	for i := range list {
		m := &list[i]
		s.Transitions, s.Peers, s.DisabledBy = append(s.Transitions, m.transition), append(s.Peers, m.peers), append(s.DisabledBy, m.struck)
		s.Takes, s.Origins, s.Commuting = append(s.Takes, m.takes), append(s.Origins, m.origin), append(s.Commuting, 0)
		peers |= m.peers
		switch m.Kind {
		case DatagramTransition:
			changes = max(changes, uint32(m.count)+2)
		case MixedTransition:
			changes = max(changes, uint32(m.count)+2+uint32(s.Global-s.Monitors))
		case questionTransition:
			sp.handled |= spanQuestion
		}
	}
	sp.most = changes<<Sleepers | uint32(peers)
	sp.end = uint32(len(s.Transitions))
	return sp
}

// run executes the steps of an event for all answers to its choices. It stops at a limit, which it records, and at
// a step that diverges, since an endless loop has too many answers. See endless.
func (s *NodeConfigs) run(w *world.World, packed []uint32, node int, ev netmodel.Event) (runs []computed) {
	var diverges error
	shared := node >= 0 && len(s.Engine.Failures.GroupOf(sim.NodeID(node))) > 0
	if shared && ev.Kind.TakesDown() {
		return []computed{s.shared(uncachedTransition{ev: ev})}
	}
	w.Restore(s.worldVector)
	ordinary := w.IsRecovery(ev)
	for s.Answers.Reset(); s.limited == nil && diverges == nil && s.Answers.Next(); s.limited = s.Answers.Stop() {
		w.Restore(s.worldVector)
		err := w.Advance(&ev, &s.Answers)
		var r computed
		if w.Handled {
			r.asked = askedBefore(w, w.Leaf)
		}
		slow := uncachedTransition{ev: ev, picks: s.Answers.Path()}
		if shared && w.FailedInside {
			slow.picks = slow.picks[:len(slow.picks)-w.AskedOfGroup]
			if n := len(runs) - 1; n < 0 || runs[n].Kind != groupTransition || !slices.Equal(s.uncached[runs[n].first].picks, slow.picks) {
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
		if r.handled = ok && w.Handled; !ok {
			if store.NeedsReference(err) || store.IsOverdue(err) {
				slow.err = err
			}
			r.transition, r.peers = transition{Kind: UncachedStep, first: uint32(len(s.uncached))}, NeverSleeps
			if node >= 0 {
				r.note = uint8(node) | NoteLocal // without a failure it may lead elsewhere
			}
			s.uncached = append(s.uncached, slow)
			if s.endless(err, slow.picks) {
				diverges = err
			}
		}
		if ordinary && recovered(w, &s.Answers) {
			r.note |= NoteOrdinary
		}
		runs = append(runs, r)
	}
	if diverges != nil && ordinary && s.limited == nil {
		s.diverged(diverges, &s.Answers)
	}
	return runs
}

// endless reports whether to stop enumerating the answers of a step that diverged. An exploration ends at such a
// transition. A search for recovery continues, unless the step is in a loop of questions.
func (s *NodeConfigs) endless(err error, picks choose.Path) bool {
	return store.IsDivergence(err) && (!s.TolerateFailures || len(picks) > loopAsks || store.IsOverdue(err))
}

// loopAsks is the number of questions from which a diverging step counts as a loop of questions.
const loopAsks = 64

// diverged records a step that diverges, if it has other answers.
func (s *NodeConfigs) diverged(err error, a *steptree.Answers) {
	if !store.IsOverdue(err) && a.Next() {
		s.Unseen = cmp.Or(s.Unseen, err)
	}
}

// shared returns the transition for steps that begin like slow, in which a node fails that shares its process.
func (s *NodeConfigs) shared(slow uncachedTransition) computed {
	m := transition{Kind: groupTransition, first: uint32(len(s.uncached)), note: uint8(slow.ev.Node) | NoteLocal}
	s.uncached = append(s.uncached, slow)
	return computed{transition: m, peers: NeverSleeps}
}

// askedBefore lists the questions on the way to the leaf of the last step.
func askedBefore(w *world.World, id uint32) (list []asked) {
	v, _ := w.Trees.Roots.Get(steptree.SituationKey(w.Current.Local, w.Current.EventID))
	at := steptree.Ref(v)
	for _, answer := range w.Trees.Leaves.At(id).Answers {
		q := w.Trees.Inner.At(uint32(at >> 1))
		a := asked{inner: uint32(at >> 1), next: uint32(answer), room: q.Point.Arity == 0}
		if a.room {
			room := int(answer)
			if q.Fresh {
				room = w.Net.Capacity()
			}
			a.next = uint32(q.Branch(room))
		}
		list = append(list, a)
		at = q.Follow(int(a.next))
	}
	return list
}

// group appends transitions to a list. Transitions behind a question about room, later than the first from
// questions, are stored with that question, which is listed in their place.
func (s *NodeConfigs) group(runs []computed, from int, ev netmodel.Event, list []computed, handled uint32) ([]computed, uint32) {
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
		s.rooms = append(s.rooms, roomQuestion{s.Engine.Trees.Inner.At(r.asked[k].inner).RoomAsked, nil, r.asked[k].inner, k, ev})
		s.answer(q, runs[:n])
		list = append(list, computed{transition: transition{Kind: questionTransition, first: q}, peers: NeverSleeps})
		runs = runs[n:]
	}
	return list, handled
}

// roomQuestion is a question of a handler about room in a stream, with the transitions for each known answer.
type roomQuestion struct {
	steptree.RoomAsked
	spans    []span // by branch
	question uint32 // inner node in the tree of the step
	before   int    // number of questions before it
	ev       netmodel.Event
}

// answer stores the transitions for one answer to a question about room.
func (s *NodeConfigs) answer(q uint32, runs []computed) span {
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

// populateAnswer computes the transitions for the answer that a packed vector gives to a question about room.
func (s *NodeConfigs) populateAnswer(w *world.World, packed []uint32, q uint32) span {
	room := s.rooms[q]
	steps := w.Counters.Steps
	defer func() { w.Counters.Steps = steps }()
	s.visit(w, packed)
	runs := s.run(w, packed, int(room.ev.Node), room.ev)
	runs = slices.DeleteFunc(runs, func(r computed) bool {
		return len(r.asked) <= room.before || r.asked[room.before].inner != room.question
	})
	if len(runs) == 0 { // at a limit
		return span{}
	}
	return s.answer(q, runs)
}

// addTransition converts the world's last step. Ok is false if the step does not fit into a transition.
func (s *NodeConfigs) addTransition(w *world.World, packed []uint32, node int, slow uncachedTransition) (m transition, ok bool) {
	s.Pack(w.Vector, s.packedVector)
	m = transition{Global: s.packedVector[s.Global], first: uint32(len(s.ops)), Kind: globalTransition}
	m.delta = s.Globals[m.Global].share.Sub(s.Globals[packed[s.Global]].share)
	d := draft{from: packed, changes: s.changes[:0]}
	d.set(s.Global, m.Global)
	if node < 0 {
		return m, d.is(s.packedVector)
	}
	p := &s.Tables[node]
	m.Kind, m.Next, m.note = DatagramTransition, s.packedVector[node], uint8(node)
	m.delta = m.delta.Add(p.shares[m.Next]).Sub(p.shares[packed[node]])
	if p.List[m.Next].Local != p.List[packed[node]].Local {
		m.note |= NoteLocal
	}
	d.set(node, m.Next)
	if s.ofStream(&slow.ev) {
		s.op(&m, s.stream(node, int(slow.ev.Peer), streamOps[slow.ev.Kind], 0))
	}
	refusable := w.Handled && s.handle(w, packed, node, &m)
	if slow.ev.Kind == eventkind.Arrive {
		s.arrive(packed, node, &m)
		refusable = s.Engine.Inboxes.Bounded
	}
	if w.Layout.PairCount > 0 && (w.FailedInside || slow.ev.Kind.TakesDown()) {
		how := uint32(store.ByCrash)
		if w.Halted || slow.ev.Kind == eventkind.Halt {
			how = store.ByHalt
		}
		for peer := range w.Nodes {
			s.op(&m, s.stream(node, peer, store.OpCrash, how))
		}
	}
	if refusable {
		s.op(&m, EffectOp{opSlow << opPeer, uint32(len(s.uncached))})
		s.uncached = append(s.uncached, slow)
	}
	ok = len(s.ops)-int(m.first) <= mostOps && s.operate(&d, node, s.ops[m.first:]) && d.is(s.packedVector)
	s.changes = d.changes
	return m, ok
}

// handle lists the operations of a handler's step, and reports whether monitors or full queues may refuse them.
func (s *NodeConfigs) handle(w *world.World, packed []uint32, node int, m *transition) (refusable bool) {
	severed := w.NetGlobals.List[s.Globals[packed[s.Global]].Net].Severed[node]
	for _, o := range w.Trees.Leaves.At(w.Leaf).OpsLeft(w.Happened) {
		peer := int(o.Peer)
		switch o.Kind {
		case stepinfo.SendEffect:
			if peer != node && severed>>peer&1 == 0 && !s.Engine.Inboxes.HoldsOutgoing {
				s.op(m, EffectOp{uint32(peer), s.DatagramTo(o.Peer, sim.NodeID(node), o.ID)})
				refusable = refusable || s.Engine.Inboxes.Bounded
			}
		case stepinfo.StreamEffect:
			s.op(m, s.stream(node, peer, store.OpSend, o.ID))
		case stepinfo.RefusedEffect:
			s.op(m, s.stream(node, peer, store.OpRefuse, 0))
		case stepinfo.CloseEffect:
			s.op(m, s.stream(node, peer, store.OpClose, 0))
		case stepinfo.AnnounceEffect:
			s.op(m, EffectOp{opAnnounce << opPeer, o.ID})
			refusable = true
		}
	}
	return refusable
}

// arrive lists the operation by which the first outgoing message of a node arrives.
func (s *NodeConfigs) arrive(packed []uint32, node int, m *transition) {
	first := s.Engine.Inboxes.List[s.Tables[node].List[packed[node]].Inbox].Items[0]
	if to := int(^first.From); to != node {
		s.op(m, EffectOp{uint32(to), s.DatagramTo(sim.NodeID(to), sim.NodeID(node), first.Msg)})
	}
}

// op appends an operation to a transition.
func (s *NodeConfigs) op(m *transition, o EffectOp) {
	if o.kind() != opDatagram || slices.ContainsFunc(s.ops[m.first:], func(other EffectOp) bool { return other.Peer == o.Peer }) {
		m.Kind = MixedTransition
	}
	s.ops = append(s.ops, o)
	m.count++
}

// recovered reports whether the last step, of an ordinary event, belongs to the recovery relation: its node did not
// crash inside, and all answers have weight.
func recovered(w *world.World, a *steptree.Answers) bool { return !w.FailedInside && !a.Weightless }
