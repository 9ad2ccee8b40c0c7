package table

import (
	"iter"

	"github.com/macemc/macemc/sim"
)

// Key implements [kernel.World].
func (w *World) Key(ev sim.Event) string {
	l := &w.layout
	if ev.Node >= 0 {
		w.bench.Place(ev.Node, w.locals.list[w.v[ev.Node]].state)
	}
	if w.net != nil {
		w.net.Reset()
		switch ev.Kind {
		case sim.Deliver, sim.DeliverError, sim.DeliverReady, sim.Lose, sim.Duplicate, sim.Arrive, sim.TakeQuorum, sim.Break:
			if ev.Slot >= 0 {
				w.net.SetBag(ev.Node, w.inboxes.content(w.v[l.inboxes+int(ev.Node)]))
			} else {
				word, _ := w.connection(ev.Node, ev.Peer)
				w.net.SetConnection(min(ev.Node, ev.Peer), max(ev.Node, ev.Peer), w.conns.content(w.v[word]))
			}
		}
	}
	return w.bench.Key(ev)
}

// Messages implements [kernel.World].
func (w *World) Messages(ev sim.Event, buf []sim.Envelope) []sim.Envelope {
	if ev.Msgs == 0 {
		return buf
	}
	if ev.Kind == sim.TakeQuorum {
		set := w.quorums.sets[w.gathered(ev.Node).sets[ev.Slot].id]
		for i, from := range set.from {
			buf = append(buf, sim.Envelope{From: from, To: ev.Node, Msg: w.messages.list[set.msgs[i]].Body})
		}
		return buf
	}
	m := sim.Envelope{From: ev.Peer, To: ev.Node, Stream: ev.Slot < 0}
	if m.Stream {
		word, side := w.connection(ev.Peer, ev.Node)
		m.Msg = w.messages.list[w.conns.queue(w.v[word], side)[0]].Body
	} else {
		m.Msg = w.messages.list[w.inboxes.list[w.v[w.layout.inboxes+int(ev.Node)]].items[ev.Slot].msg].Body
	}
	return append(buf, m)
}

// NodeFields implements [kernel.World].
func (w *World) NodeFields(id sim.NodeID) []sim.Field {
	return w.fieldsOf(id, w.locals.list[w.v[id]].state)
}

// NetFields implements [kernel.World].
func (w *World) NetFields() []sim.Field {
	l := &w.layout
	if w.net != nil {
		w.net.Reset()
		w.net.SetRest(w.netGlobals.list[w.v[l.netGlobals]].state)
		for i := range l.inboxCount {
			w.net.SetBag(sim.NodeID(i), w.inboxes.content(w.v[l.inboxes+i]))
		}
		for i := range l.pairCount {
			low, high := w.pairAt(i)
			w.net.SetConnection(low, high, w.conns.content(w.v[l.conns+i]))
		}
	}
	return w.bench.NetFields(crashesLeft(w.v[l.budget]), haltsLeft(w.v[l.budget]))
}

// InFlight implements [kernel.World].
func (w *World) InFlight() iter.Seq[sim.Envelope] { return w.inFlight }
