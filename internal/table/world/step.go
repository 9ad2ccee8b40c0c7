package world

import (
	"fmt"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/sim"
)

// Step implements [kernel.World].
func (w *World) Step(ev netmodel.Event, src choose.Source) (err error) {
	defer w.Engine.CatchRule(&err)
	if w.CrossCheck.active {
		return w.follow(&ev, src)
	}
	return w.doStep(&ev, src)
}

func (w *World) doStep(ev *netmodel.Event, src choose.Source) error {
	w.last.Reset(ev)
	w.last.Effects = nil // they belong to a leaf
	if w.Disturbing != nil {
		w.last.Disturbs = w.Disturbs(*ev)
	}
	if err := w.Advance(ev, src); err != nil {
		return err
	}
	return w.UnlistedQuorums()
}

// Advance takes a step, and updates Last unless the world is bare.
func (w *World) Advance(ev *netmodel.Event, src choose.Source) error {
	w.FailedInside, w.Halted, w.Handled, w.AskedOfGroup = false, false, false, 0
	switch ev.Kind {
	case eventkind.Crash:
		w.spend(store.OneCrash)
		return w.crash(ev.Node, src)
	case eventkind.Halt:
		return w.halt(ev.Node)
	case eventkind.Arrive:
		return w.arrive(*ev)
	}
	if ev.Kind.OfNetwork() {
		w.Inject(*ev)
		return nil
	}
	if ev.Kind.Injection() {
		panic(fmt.Sprintf("unreachable: no code executes %v", ev.Kind))
	}
	w.take(ev)
	id, err := w.Walk(&w.Current, src, w)
	if err != nil {
		return err
	}
	l := w.Trees.Leaves.At(id)
	l.Taken = true
	w.Handled, w.Leaf = true, id
	if w.RoomAnswers != nil {
		for _, o := range l.Observed {
			*w.RoomAnswers = append(*w.RoomAnswers, RoomObservation{o.Peer, w.roomSeen(o), o.Exact})
		}
	}
	if !w.bare {
		w.last.Effects, w.last.Handler = l.Effects, true
		if ev.Kind == eventkind.FireTimer {
			w.last.Timer = w.Locals.List[w.Current.Local].State.Timer(ev.Slot)
		}
		w.observe(l)
	}
	if l.Err != nil {
		w.setLocal(ev.Node, l.Next)
		w.last.Handler = ev.Kind != eventkind.Boot || w.UpNodes>>ev.Node&1 == 1
		return l.Err
	}
	c := stepinfo.Cut{At: len(l.Effects)}
	if budget := w.Vector[w.Layout.Budget]; budget > 0 && l.CrashCuts+l.HaltCuts > 0 {
		c = w.askCrashInside(l, ev.Node, budget, src)
	}
	w.last.Applied, w.last.Lost, w.last.Crashed, w.last.Halted = c.At, c.Lost, w.FailedInside, w.Halted
	w.setLocal(ev.Node, l.Next)
	failed, err := w.apply(id, c)
	w.Happened = stepinfo.Cut{At: failed, Lost: c.Lost}
	if !w.FailedInside {
		return err
	}
	if stop := w.crashInside(id, steptree.Cut{At: int32(c.At), Failed: int32(failed)}, src); stop != nil {
		return stop
	}
	return err
}

// Prepare sets the step to look up for an event independent of the network.
func (w *World) Prepare(ev *netmodel.Event) {
	class := store.BootEvent
	switch ev.Kind {
	case eventkind.DoAction:
		class = store.ActionEvent
	case eventkind.FireTimer:
		class = store.TimerEvent
	case eventkind.Internal:
		class = store.InternalEvent
	}
	w.Acting = ev.Node
	s := &w.Current
	s.Event, s.Local, s.EventID = *ev, w.Vector[ev.Node], w.EventID(class, 0, uint32(max(0, ev.Slot)))
	s.Message, s.Err = 0, nil
}

// take removes from the network what an event delivers, and sets the step to look up.
func (w *World) take(ev *netmodel.Event) {
	s := &w.Current
	switch ev.Kind {
	default:
		w.Prepare(ev)
		return
	case eventkind.TakeQuorum:
		s.Message, s.Err = w.takeSet(*ev), nil
		s.EventID = w.EventID(store.QuorumEvent, 0, s.Message)
	case eventkind.Deliver, eventkind.DeliverError, eventkind.DeliverReady:
		class := store.DeliverEvent
		if ev.Slot >= 0 {
			inbox := w.Vector[w.Layout.Inboxes+int(ev.Node)]
			s.Message = w.Inboxes.List[inbox].Items[ev.Slot].Msg
			w.setInbox(ev.Node, w.Inboxes.Without(inbox, ev.Slot))
		} else {
			word, side := w.connection(ev.Node, ev.Peer)
			next := uint32(0)
			next, class, s.Message = w.Received(w.Vector[word], ev.Kind, side, w.UpNodes>>ev.Peer&1 == 1)
			w.setConn(ev.Node, ev.Peer, word, next)
		}
		s.EventID, s.Err = w.EventID(class, ev.Peer, s.Message), errorOf[class]
	}
	w.Acting = ev.Node
	s.Event, s.Local = *ev, w.Vector[ev.Node]
}

// errorOf is the error of an event, by class.
var errorOf = [store.EventClasses]error{store.ResetEvent: sim.ErrReset, store.RefusedEvent: sim.ErrRefused}

// observe records the observations of room in streams by the step.
func (w *World) observe(l *steptree.Leaf) {
	for _, o := range l.Observed {
		w.last.Observed = append(w.last.Observed, stepinfo.Observation{Peer: o.Peer, Room: w.roomSeen(o)})
	}
}

// roomSeen returns the observed room.
func (w *World) roomSeen(o steptree.RoomAsked) int { return max(0, w.RoomOf(o.Peer, o.Fresh)-o.Sent) }

// RoomObservation is a handler's observation of room in a stream.
type RoomObservation struct {
	Peer  sim.NodeID
	Room  int
	Exact bool // otherwise only whether there is some
}

// askCrashInside chooses whether the node crashes or halts inside the step, and returns the cut.
func (w *World) askCrashInside(l *steptree.Leaf, node sim.NodeID, budget uint32, src choose.Source) stepinfo.Cut {
	if store.CrashesLeft(budget) > 0 && l.CrashCuts > 0 && w.Failures.MayCrash(int(node)) {
		if pick := src.Choose(choose.Point{Kind: choose.CrashInside, Arity: int(l.CrashCuts) + 1, Label: choose.CrashInside.Label()}); pick > 0 {
			w.FailedInside = true
			return w.CutsOf(l, stepinfo.EffectKind.SurvivesCrash)[pick-1]
		}
	}
	if store.HaltsLeft(budget) > 0 && l.HaltCuts > 0 && w.Failures.MayHalt(int(node)) {
		if pick := src.Choose(choose.Point{Kind: choose.HaltInside, Arity: int(l.HaltCuts) + 1, Label: choose.HaltInside.Label()}); pick > 0 {
			w.FailedInside, w.Halted = true, true
			return w.CutsOf(l, stepinfo.EffectKind.VisibleAfterHalt)[pick-1]
		}
	}
	return stepinfo.Cut{At: len(l.Effects)}
}

// apply executes the effects of a leaf up to a cut. The node is in the state after all of them. The error is a
// finding. Then the effects from failed on did not happen.
func (w *World) apply(id uint32, c stepinfo.Cut) (failed int, err error) {
	l := w.Trees.Leaves.At(id)
	node := w.Acting
	if failed = c.At; int(l.Failed) < failed {
		failed, err = int(l.Failed), l.Failure
	}
	ops := l.OpsLeft(stepinfo.Cut{At: failed, Lost: c.Lost})
	for i := range ops {
		o := &ops[i]
		if found := w.do(node, o); found != nil {
			failed, err = int(o.At), found
			break
		}
	}
	if err != nil && !w.FailedInside {
		next, stop := w.AfterEffects(&w.Current, id, failed)
		if stop != nil {
			return failed, stop
		}
		w.setLocal(node, next)
	}
	return failed, err
}

// do executes an effect.
func (w *World) do(node sim.NodeID, o *steptree.Op) error {
	switch o.Kind {
	case stepinfo.SendEffect:
		if w.Layout.InboxCount == 0 {
			return w.Bench.Contain(node, func() { w.Net.SendDatagram(node, o.Peer, netmodel.Message{}) })
		}
		switch {
		case w.Inboxes.HoldsOutgoing:
			w.setInbox(node, w.Inboxes.WithOutgoing(w.Vector[w.Layout.Inboxes+int(node)], o.Peer, o.ID))
		case w.UpNodes>>o.Peer&1 == 1 && w.NetGlobals.List[w.Vector[w.Layout.NetGlobals]].Severed[node]>>o.Peer&1 == 0:
			return w.send(node, o.Peer, o.ID)
		}
	case stepinfo.StreamEffect:
		w.operate(node, o.Peer, store.OpSend, o.ID)
	case stepinfo.RefusedEffect:
		w.operate(node, o.Peer, store.OpRefuse, 0)
	case stepinfo.CloseEffect:
		if w.Layout.PairCount == 0 {
			return w.Bench.Contain(node, func() { w.Net.CloseStream(node, o.Peer) })
		}
		w.operate(node, o.Peer, store.OpClose, 0)
	case stepinfo.AnnounceEffect:
		for i := range w.Sys.Monitors {
			word := w.Layout.Monitors + i
			next, err := w.Engine.Observe(w.Vector[word], node, o.ID)
			w.Vector[word] = next
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Inject executes a fault of the network, or a Heal.
func (w *World) Inject(ev netmodel.Event) {
	l := &w.Layout
	part := func(netmodel.Parted) {}
	switch {
	case ev.Kind.OfMessage():
		inbox := w.Vector[l.Inboxes+int(ev.Node)]
		part = func(net netmodel.Parted) { net.SetBag(ev.Node, w.Inboxes.Content(inbox)) }
		w.setInbox(ev.Node, w.Inboxes.Struck(inbox, ev.Kind, ev.Slot))
	case ev.Kind == eventkind.Break:
		low, high := ev.Node, ev.Peer
		conn := w.Vector[l.Conns+l.Pair(low, high)]
		part = func(net netmodel.Parted) { net.SetConnection(low, high, w.Conns.Content(conn)) }
		w.operate(low, high, store.OpBreak, 0)
	}
	w.setNetGlobals(w.NetGlobals.After(w.Vector[l.NetGlobals], ev, part))
}

// RoomOf returns the room in the acting node's stream to a peer.
func (w *World) RoomOf(peer sim.NodeID, fresh bool) int {
	if fresh {
		return w.Net.Capacity()
	}
	return w.room(w.Acting, peer)
}

func (w *World) room(node, peer sim.NodeID) int {
	word, side := w.connection(node, peer)
	return max(0, w.Net.Capacity()-w.Conns.Queued(w.Vector[word], side))
}

// connection returns the word of the connection between two nodes, and the side of node.
func (w *World) connection(node, peer sim.NodeID) (word, side int) {
	if node <= peer {
		return w.Layout.Conns + w.Layout.Pair(node, peer), 0
	}
	return w.Layout.Conns + w.Layout.Pair(peer, node), 1
}

// operate executes an operation on a connection at node's end.
func (w *World) operate(node, peer sim.NodeID, op store.ConnOp, msg uint32) {
	word, side := w.connection(node, peer)
	old := w.Vector[word]
	if op == store.OpCrash && old <= store.EmptySelf {
		return
	}
	w.setConn(node, peer, word, w.Conns.Apply(old, store.ConnCode(op, side, msg), w.UpNodes>>peer&1 == 1))
}

// setConn changes the connection between two nodes, stored in word.
func (w *World) setConn(node, peer sim.NodeID, word int, next uint32) {
	if next != w.Vector[word] {
		w.Vector[word] = next
		if !w.bare {
			w.connChanged(min(node, peer), max(node, peer), next)
		}
	}
}

// spend takes a crash or a halt off the budget.
func (w *World) spend(one uint32) {
	w.Vector[w.Layout.Budget] -= one
	w.noteFaults()
}

func (w *World) setLocal(node sim.NodeID, id uint32) {
	if w.Vector[node] == id {
		return
	}
	w.Vector[node] = id
	if w.Engine.IsUp(id) {
		w.UpNodes |= 1 << node
	} else {
		w.UpNodes &^= 1 << node
	}
	if !w.bare {
		w.enabled.Mark(int(node))
	}
}

func (w *World) setInbox(node sim.NodeID, id uint32) {
	w.Vector[w.Layout.Inboxes+int(node)] = id
	if !w.bare {
		w.enabled.Mark(int(node))
	}
}

func (w *World) setNetGlobals(id uint32) {
	word := w.Layout.NetGlobals
	old := w.Vector[word]
	w.Vector[word] = id
	w.noteFaults()
	if w.bare {
		return
	}
	w.enabled.Mark(w.Nodes)
	if w.NetGlobals.List[id].State.Cut != w.NetGlobals.List[old].State.Cut {
		w.refreshConns()
		w.enabled.MarkAll()
	}
}

// send delivers a message to the inbox of a node that is up. The error is a finding.
func (w *World) send(from, to sim.NodeID, msg uint32) error {
	inbox := w.Vector[w.Layout.Inboxes+int(to)]
	if next := w.Inboxes.AfterSend(inbox, from, msg); next != store.Overrun {
		w.setInbox(to, next)
		return nil
	}
	return w.Bench.Contain(from, func() {
		w.Net.Reset()
		w.Bench.SetUp(to, true)
		w.Net.SetBag(to, w.Inboxes.Content(inbox))
		w.Net.Arrive(from, to, w.Contents.List[msg])
	})
}

// arrive moves a node's first outgoing message to its receiver. The error is a finding.
func (w *World) arrive(ev netmodel.Event) error {
	inbox := w.Vector[w.Layout.Inboxes+int(ev.Node)]
	first := w.Inboxes.List[inbox].Items[0]
	w.setInbox(ev.Node, w.Inboxes.Without(inbox, 0))
	if to := ^first.From; w.UpNodes>>to&1 == 1 {
		return w.send(ev.Node, to, first.Msg)
	}
	return nil
}

// IsRecovery reports whether an enabled event may belong to the recovery relation.
func (w *World) IsRecovery(ev netmodel.Event) bool { return w.RecoveryKind(ev.Kind) && !w.Disturbs(ev) }

// Disturbs implements [kernel.World].
func (w *World) Disturbs(ev netmodel.Event) bool {
	return w.Disturbing.Has(ev, func() any {
		if ev.Kind == eventkind.FireTimer {
			return w.Timer(ev)
		}
		var buf [1]sim.Envelope
		msgs := w.Messages(ev, buf[:0])
		if len(msgs) == 0 {
			return nil
		}
		return msgs[0].Msg
	})
}
