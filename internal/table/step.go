package table

import (
	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

// Step implements [kernel.World].
func (w *World) Step(ev sim.Event, src choose.Source) error {
	if w.cross.active {
		return w.follow(&ev, src)
	}
	return w.doStep(&ev, src)
}

func (w *World) doStep(ev *sim.Event, src choose.Source) error {
	w.last.Reset(ev)
	w.last.Effects = nil // they are those of a leaf
	if w.disturbing != nil {
		w.last.Disturbs = w.Disturbs(*ev)
	}
	if err := w.advance(ev, src); err != nil {
		return err
	}
	return w.untold()
}

// advance changes the vector, and tells Last what happened unless the world is a bare one.
func (w *World) advance(ev *sim.Event, src choose.Source) error {
	w.inside, w.halted, w.handled, w.askedOfGroup = false, false, false, 0
	switch ev.Kind {
	case sim.Crash:
		w.spend(oneCrash)
		return w.crash(ev.Node, src)
	case sim.Halt:
		return w.halt(ev.Node)
	}
	if ev.Kind == sim.Heal || ev.Kind.Injection() {
		w.inject(*ev)
		return nil
	}
	if ev.Kind == sim.Arrive {
		return w.arrive(*ev)
	}
	w.take(ev)
	id, err := w.walk(&w.step, src, w)
	if err != nil {
		return err
	}
	l := w.steps.leaves.at(id)
	l.met = true
	w.handled, w.leaf = true, id
	if w.told != nil {
		for _, o := range l.observed {
			*w.told = append(*w.told, roomTold{o.peer, w.roomSeen(o), o.exact})
		}
	}
	if !w.bare {
		w.last.Effects, w.last.Handler = l.effects, true
		if ev.Kind == sim.FireTimer {
			w.last.Timer = w.locals.list[w.step.local].state.Timer(ev.Slot)
		}
		w.observe(l)
	}
	if l.err != nil {
		w.setLocal(ev.Node, l.next)
		w.last.Handler = ev.Kind != sim.Boot || w.up>>ev.Node&1 == 1
		return l.err
	}
	c := kernel.Cut{At: len(l.effects)}
	if budget := w.v[w.layout.budget]; budget > 0 && l.outlast+l.heard > 0 {
		c = w.askCut(l, ev.Node, budget, src)
	}
	w.last.Applied, w.last.Lost, w.last.Crashed, w.last.Halted = c.At, c.Lost, w.inside, w.halted
	w.setLocal(ev.Node, l.next)
	failed, err := w.apply(id, c)
	w.happened = kernel.Cut{At: failed, Lost: c.Lost}
	if !w.inside {
		return err
	}
	if stop := w.crashInside(id, cut{int32(c.At), int32(failed)}, src); stop != nil {
		return stop
	}
	return err
}

// prepare sets the step that is to be looked up, of an event in which the network has no part.
func (w *World) prepare(ev *sim.Event) {
	class := bootEvent
	switch ev.Kind {
	case sim.DoAction:
		class = actionEvent
	case sim.FireTimer:
		class = timerEvent
	case sim.Internal:
		class = internalEvent
	}
	w.acting = ev.Node
	s := &w.step
	s.ev, s.local, s.event = *ev, w.v[ev.Node], w.eventID(class, 0, uint32(max(0, ev.Slot)))
	s.msg, s.err = 0, nil
}

// take removes from the network what an event hands over, and sets the step that is to be looked up.
func (w *World) take(ev *sim.Event) {
	s := &w.step
	switch ev.Kind {
	default:
		w.prepare(ev)
		return
	case sim.TakeQuorum:
		s.msg, s.err = w.takeSet(*ev), nil
		s.event = w.eventID(quorumEvent, 0, s.msg)
	case sim.Deliver, sim.DeliverError, sim.DeliverReady:
		class := deliverEvent
		if ev.Slot >= 0 {
			bag := w.v[w.layout.inboxes+int(ev.Node)]
			s.msg = w.inboxes.list[bag].items[ev.Slot].msg
			w.setInbox(ev.Node, w.inboxes.taken(bag, ev.Slot))
		} else {
			word, side := w.connection(ev.Node, ev.Peer)
			next := uint32(0)
			next, class, s.msg = w.received(w.v[word], ev.Kind, side, w.up>>ev.Peer&1 == 1)
			w.setConn(ev.Node, ev.Peer, word, next)
		}
		s.event, s.err = w.eventID(class, ev.Peer, s.msg), errorOf[class]
	}
	w.acting = ev.Node
	s.ev, s.local = *ev, w.v[ev.Node]
}

// errorOf is the error that an event of a class is about.
var errorOf = [eventClasses]error{resetEvent: sim.ErrReset, refusedEvent: sim.ErrRefused}

// observe tells what the step was told of room in streams.
func (w *World) observe(l *leaf) {
	for _, o := range l.observed {
		w.last.Observed = append(w.last.Observed, kernel.Observation{Peer: o.peer, Room: w.roomSeen(o)})
	}
}

// roomSeen is the room that an observation is about.
func (w *World) roomSeen(o roomAsked) int { return max(0, w.roomOf(o.peer, o.fresh)-o.sent) }

// roomTold is what a handler was told of room in a stream.
type roomTold struct {
	peer  sim.NodeID
	room  int
	exact bool // else whether there is some
}

// askCut asks whether the node crashes inside the step, or halts, and returns what happens of it.
func (w *World) askCut(l *leaf, node sim.NodeID, budget uint32, src choose.Source) kernel.Cut {
	if crashesLeft(budget) > 0 && l.outlast > 0 && w.mayCrash(int(node)) {
		if pick := src.Choose(choose.Point{Kind: choose.CrashInside, Arity: int(l.outlast) + 1, Label: choose.CrashInside.Label()}); pick > 0 {
			w.inside = true
			return w.cutsOf(l, kernel.EffectKind.Outlasts)[pick-1]
		}
	}
	if haltsLeft(budget) > 0 && l.heard > 0 && w.mayHalt(int(node)) {
		if pick := src.Choose(choose.Point{Kind: choose.HaltInside, Arity: int(l.heard) + 1, Label: choose.HaltInside.Label()}); pick > 0 {
			w.inside, w.halted = true, true
			return w.cutsOf(l, kernel.EffectKind.Heard)[pick-1]
		}
	}
	return kernel.Cut{At: len(l.effects)}
}

// apply makes what a cut leaves of the effects of a leaf happen; the node is in the state after all of them.
// The error is a finding; then the effects from failed on did not happen.
func (w *World) apply(id uint32, c kernel.Cut) (failed int, err error) {
	l := w.steps.leaves.at(id)
	node := w.acting
	if failed = c.At; int(l.failed) < failed {
		failed, err = int(l.failed), l.failure
	}
	ops := l.left(kernel.Cut{At: failed, Lost: c.Lost})
	for i := range ops {
		o := &ops[i]
		if found := w.do(node, o); found != nil {
			failed, err = int(o.at), found
			break
		}
	}
	if err != nil && !w.inside {
		next, stop := w.settled(&w.step, id, failed)
		if stop != nil {
			return failed, stop
		}
		w.setLocal(node, next)
	}
	return failed, err
}

// do makes an effect happen.
func (w *World) do(node sim.NodeID, o *op) error {
	switch o.kind {
	case kernel.SendEffect:
		if w.layout.inboxCount == 0 {
			return w.bench.Contain(node, func() { w.net.SendDatagram(node, o.peer, sim.Message{}) })
		}
		switch {
		case w.inboxes.holds:
			w.setInbox(node, w.inboxes.kept(w.v[w.layout.inboxes+int(node)], o.peer, o.id))
		case w.up>>o.peer&1 == 1 && w.netGlobals.list[w.v[w.layout.netGlobals]].severed[node]>>o.peer&1 == 0:
			return w.send(node, o.peer, o.id)
		}
	case kernel.StreamEffect:
		w.operate(node, o.peer, opSend, o.id)
	case kernel.RefusedEffect:
		w.operate(node, o.peer, opRefuse, 0)
	case kernel.CloseEffect:
		if w.layout.pairCount == 0 {
			return w.bench.Contain(node, func() { w.net.CloseStream(node, o.peer) })
		}
		w.operate(node, o.peer, opClose, 0)
	case kernel.AnnounceEffect:
		for i := range w.sys.Monitors {
			word := w.layout.monitors + i
			next, err := w.engine.observe(w.v[word], node, o.id)
			w.v[word] = next
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// inject executes a fault of the network, or a Heal.
func (w *World) inject(ev sim.Event) {
	l := &w.layout
	part := func(sim.Parted) {}
	switch ev.Kind {
	case sim.Lose, sim.Duplicate:
		bag := w.v[l.inboxes+int(ev.Node)]
		part = func(net sim.Parted) { net.SetBag(ev.Node, w.inboxes.content(bag)) }
		if ev.Kind == sim.Lose {
			w.setInbox(ev.Node, w.inboxes.taken(bag, ev.Slot))
		} else {
			w.setInbox(ev.Node, w.inboxes.duplicated(bag, ev.Slot))
		}
	case sim.Break:
		low, high := ev.Node, ev.Peer
		conn := w.v[l.conns+l.pair(low, high)]
		part = func(net sim.Parted) { net.SetConnection(low, high, w.conns.content(conn)) }
		w.operate(low, high, opBreak, 0)
	}
	w.setNetGlobals(w.netGlobals.after(w.v[l.netGlobals], ev, part))
}

// roomOf is the room in the stream of the acting node to a peer.
func (w *World) roomOf(peer sim.NodeID, fresh bool) int {
	if fresh {
		return w.net.Capacity()
	}
	return w.room(w.acting, peer)
}

func (w *World) room(node, peer sim.NodeID) int {
	word, side := w.connection(node, peer)
	return max(0, w.net.Capacity()-w.conns.queued(w.v[word], side))
}

// connection returns the word of the connection between two nodes, and which end is that of node.
func (w *World) connection(node, peer sim.NodeID) (word, side int) {
	if node <= peer {
		return w.layout.conns + w.layout.pair(node, peer), 0
	}
	return w.layout.conns + w.layout.pair(peer, node), 1
}

// operate does something to a connection at the end of node.
func (w *World) operate(node, peer sim.NodeID, op connOp, msg uint32) {
	word, side := w.connection(node, peer)
	old := w.v[word]
	if op == opCrash && old <= emptySelf {
		return
	}
	w.setConn(node, peer, word, w.conns.apply(old, connCode(op, side, msg), w.up>>peer&1 == 1))
}

// setConn changes the connection between two nodes, the word of which is given.
func (w *World) setConn(node, peer sim.NodeID, word int, next uint32) {
	if next != w.v[word] {
		w.v[word] = next
		if !w.bare {
			w.connChanged(min(node, peer), max(node, peer), next)
		}
	}
}

// spend takes a crash or a halt off the budget.
func (w *World) spend(one uint32) {
	w.v[w.layout.budget] -= one
	w.noteFaults()
}

func (w *World) setLocal(node sim.NodeID, id uint32) {
	if w.v[node] == id {
		return
	}
	w.v[node] = id
	if w.engine.up(id) {
		w.up |= 1 << node
	} else {
		w.up &^= 1 << node
	}
	if !w.bare {
		w.enabled.dirty(int(node))
	}
}

func (w *World) setInbox(node sim.NodeID, id uint32) {
	w.v[w.layout.inboxes+int(node)] = id
	if !w.bare {
		w.enabled.dirty(int(node))
	}
}

func (w *World) setNetGlobals(id uint32) {
	word := w.layout.netGlobals
	old := w.v[word]
	w.v[word] = id
	w.noteFaults()
	if w.bare {
		return
	}
	w.enabled.dirty(w.nodes)
	if w.netGlobals.list[id].state.Cut != w.netGlobals.list[old].state.Cut {
		w.refreshConns()
		w.enabled.all()
	}
}

// send makes a message arrive at a node, which is up. The error is a finding.
func (w *World) send(from, to sim.NodeID, msg uint32) error {
	bag := w.v[w.layout.inboxes+int(to)]
	if next := w.inboxes.sent(bag, from, msg); next != overrun {
		w.setInbox(to, next)
		return nil
	}
	return w.bench.Contain(from, func() {
		w.net.Reset()
		w.bench.SetUp(to, true)
		w.net.SetBag(to, w.inboxes.content(bag))
		w.net.Arrive(from, to, w.messages.list[msg])
	})
}

// arrive has the first message that a node has yet to send arrive. The error is a finding.
func (w *World) arrive(ev sim.Event) error {
	bag := w.v[w.layout.inboxes+int(ev.Node)]
	first := w.inboxes.list[bag].items[0]
	w.setInbox(ev.Node, w.inboxes.taken(bag, 0))
	if to := ^first.from; w.up>>to&1 == 1 {
		return w.send(ev.Node, to, first.msg)
	}
	return nil
}

// gathered returns what can happen to a node by datagrams in the state of the world.
func (w *World) gathered(node sim.NodeID) *gathering {
	return w.gather(node, w.v[node], w.v[w.layout.inboxes+int(node)])
}

// unchangedSets asks the quorums of all nodes again.
func (w *World) unchangedSets() error {
	for node := range sim.NodeID(w.nodes) {
		if w.quorums.any && w.layout.inboxCount > 0 && w.engine.up(w.v[node]) && !w.held(node) {
			if err := w.again(w.v[node], w.v[w.layout.inboxes+int(node)]); err != nil {
				return err
			}
		}
	}
	return nil
}

// untold is the finding that it cannot be told what the quorums of a node take.
func (w *World) untold() error {
	if !w.quorums.any || w.layout.inboxCount == 0 {
		return nil
	}
	for node := range sim.NodeID(w.nodes) {
		if w.up>>node&1 == 1 && !w.held(node) {
			if err := w.gathered(node).err; err != nil {
				return err
			}
		}
	}
	return nil
}

// takeSet removes from the network the set that an event is about, and returns its number.
func (w *World) takeSet(ev sim.Event) uint32 {
	set := w.gathered(ev.Node).sets[ev.Slot]
	bag := w.v[w.layout.inboxes+int(ev.Node)]
	for _, place := range set.places {
		bag = w.inboxes.taken(bag, place)
	}
	w.setInbox(ev.Node, bag)
	return set.id
}

// ordinary reports whether an event that can happen in the state of the world can be one of the recovery relation.
func (w *World) ordinary(ev sim.Event) bool { return w.recovers(ev.Kind) && !w.Disturbs(ev) }

// Disturbs implements [kernel.World].
func (w *World) Disturbs(ev sim.Event) bool {
	d := w.disturbing
	switch {
	case d.Event(ev):
		return true
	case !d.Asks(ev.Kind):
		return false
	case ev.Kind == sim.FireTimer:
		return d.Hands(ev.Kind, w.locals.list[w.v[ev.Node]].state.Timer(ev.Slot))
	}
	var buf [1]sim.Envelope
	msgs := w.Messages(ev, buf[:0])
	return len(msgs) > 0 && d.Hands(ev.Kind, msgs[0].Msg)
}
