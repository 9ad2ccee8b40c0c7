package kernel

import (
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

// eventList holds the ordinary events in blocks. Block i has those of node i, and the last block those of the network.
type eventList struct {
	netmodel.Blocks
	kept []int32 // per node: one plus the number of leading events of its block that are still valid; 0 if all must be relisted
}

func newEventList(nodes int) eventList {
	return eventList{netmodel.NewBlocks(nodes), make([]int32, nodes)}
}

func (l *eventList) clear() {
	l.Clear()
	clear(l.kept)
}

// listAnew empties all blocks and marks them for relisting.
func (l *eventList) listAnew() {
	l.clear()
	l.MarkAll()
}

// Enabled keeps the list of events between steps and relists only the nodes with events that may have changed. Listing
// all events costs more than a typical handler.
func (w *Machine) Enabled() []netmodel.Event {
	if w.Sys.Timing == sim.Prompt {
		w.noteQuiet()
	}
	if w.delays.Stepped {
		w.noteDelays()
	}
	for _, b := range w.events.Stale {
		w.refresh(int(b))
	}
	w.events.Unmark()
	return w.events.Events
}

// list calls Enabled at the end of a step. The error is a finding, if an action's When panics, or a [*encoding.Error];
// then nothing is listed.
func (w *Machine) list() (err error) {
	defer w.CatchWhen(&err)
	w.Enabled()
	return nil
}

// CatchWhen, when deferred, turns a panic during the listing of events into an error.
func (w *Machine) CatchWhen(err *error) {
	r := recover()
	if r == nil {
		return
	}
	w.events.clear()
	if bad, ok := r.(*encoding.Error); ok {
		*err = bad
		return
	}
	if w.asked == nil {
		panic(r)
	}
	if f, ok := r.(*sim.Finding); ok {
		f.Node = w.askedAt
		*err, w.asked = f, nil
		return
	}
	f := contain.Panicked(w.asked.Question(), r)
	f.Node = w.askedAt
	*err, w.asked = f, nil
}

// refresh relists the events of one block. For a node with an unchanged state it relists only the network's events.
func (w *Machine) refresh(b int) {
	buf, keep := w.buf[:0], 0
	switch {
	case b == len(w.Members):
		buf = w.Net.AppendGlobal(buf)
	case w.events.kept[b] > 0:
		keep = int(w.events.kept[b]) - 1
		buf = w.appendWaiting(&w.Members[b], buf)
	default:
		var own int
		buf, own = w.AppendNode(&w.Members[b], buf)
		w.events.kept[b] = int32(own + 1)
	}
	w.buf = buf
	w.events.Replace(b, keep, buf)
}

// AppendNode lists all events of a node. The first own of them depend on its state alone. -1 means that this is not
// known.
func (w *Machine) AppendNode(n *Node, buf []netmodel.Event) (all []netmodel.Event, own int) {
	if n.halted {
		return buf, -1
	}
	if !n.Up {
		return append(buf, netmodel.Event{Kind: eventkind.Boot, Node: n.ID, Peer: -1}), -1
	}
	if w.Holder != nil && w.Holder.Holds(n.ID) {
		return w.Net.AppendEvents(n.ID, buf), -1
	}
	for _, i := range n.Fits {
		if w.Can(n, i) {
			buf = append(buf, netmodel.Event{Kind: eventkind.DoAction, Node: n.ID, Peer: -1, Slot: i})
		}
	}
	if n.Stepper != nil && w.Ready(n) {
		buf = append(buf, netmodel.Event{Kind: eventkind.Internal, Node: n.ID, Peer: -1})
	}
	buf = w.appendTimers(n, buf)
	own = len(buf)
	if w.Holder != nil {
		own = -1
	}
	return w.appendWaiting(n, buf), own
}

// appendWaiting lists the events that the network has for a node that is up.
func (w *Machine) appendWaiting(n *Node, buf []netmodel.Event) []netmodel.Event {
	first := len(buf)
	buf = w.Net.AppendEvents(n.ID, buf)
	if len(w.Quorums) > 0 && w.Net != w.Idle {
		buf = w.gather(n, buf, first)
	}
	return buf
}

// Can reports whether action number i of the node is enabled.
func (w *Machine) Can(n *Node, i int32) bool {
	a := &w.Actions[i]
	if a.Times > 0 && int(n.Counts[i]) >= a.Times {
		return false
	}
	return a.When == nil || w.when(n, a)
}

// when reports whether an action is enabled.
func (w *Machine) when(n *Node, a *declared.Action) bool {
	if w.ownGoroutines || w.closely() {
		return look(w, n, a, nil, func() bool { return a.When(n.Service) })
	}
	w.asked, w.askedAt = a, n.ID
	ok := a.When(n.Service)
	w.asked = nil
	return ok
}

// own names the steps of a [simext.Stepper] in findings about an action's When.
var own = &declared.Action{Action: sim.Action[sim.Service]{When: func(s sim.Service) bool { return s.(simext.Stepper).Ready() }}}

// Ready reports whether the node can take a step of its own.
func (w *Machine) Ready(n *Node) bool { return w.when(n, own) }

// ownEvent is own for the steps that handle an event.
var ownEvent = &declared.Action{Action: sim.Action[sim.Service]{When: func(s sim.Service) bool { return handlesEvent(s.(simext.Stepper)) }}}

func handlesEvent(s simext.Stepper) bool {
	if !s.Ready() {
		return false
	}
	i, ok := s.(simext.Idler)
	return !ok || !i.Idle()
}

func (w *Machine) Injections(buf []netmodel.Event) []netmodel.Event {
	for i := range crashFaults {
		f := crashFaults[i].fault
		if w.FaultsLeft[f] == 0 {
			continue
		}
		kind := f.Event()
		for i := range w.Members {
			if id := sim.NodeID(i); w.strikes(f, id) && w.leads(id) {
				buf = append(buf, netmodel.Event{Kind: kind, Node: id, Peer: -1})
			}
		}
	}
	return w.Net.AppendInjections(w.appendProgramFaults(buf))
}

// dirtyNetwork notes that the events that belong to no node may have changed.
func (w *Machine) dirtyNetwork() { w.Dirty(sim.NodeID(len(w.Members))) }

// relist notes that all events of a node may have changed.
func (w *Machine) relist(id sim.NodeID) {
	w.events.kept[id] = 0
	w.Dirty(id)
}

// noteQuiet relists all timers if quiet begins or ends. A state is quiet if no message and no error can be delivered,
// and no node that is up has a step that handles a queued event. Actions and boots do not count.
func (w *Machine) noteQuiet() {
	q := w.Net.Quiet()
	for i := range w.Members {
		n := &w.Members[i]
		q = q && !(n.Up && n.Stepper != nil && w.when(n, ownEvent))
	}
	if q != w.Quiet {
		w.Quiet = q
		for i := range w.Members {
			w.relist(sim.NodeID(i))
		}
	}
}
