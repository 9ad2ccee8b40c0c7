package world

import (
	"iter"

	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/sim"
)

// Key implements [kernel.World].
func (w *World) Key(ev netmodel.Event) string {
	l := w.Label(ev)
	return l.String()
}

// Label implements [kernel.World].
func (w *World) Label(ev netmodel.Event) stepinfo.Label {
	l := &w.Layout
	if ev.Node >= 0 {
		w.Bench.Place(ev.Node, w.Locals.List[w.Vector[ev.Node]].State)
	}
	if w.Net != nil {
		w.Net.Reset()
		switch k := ev.Kind; {
		case k.OfMessage(), k == eventkind.DeliverError, k == eventkind.DeliverReady, k == eventkind.Arrive, k == eventkind.TakeQuorum, k == eventkind.Break:
			if ev.Slot >= 0 {
				w.Net.SetBag(ev.Node, w.Inboxes.Content(w.Vector[l.Inboxes+int(ev.Node)]))
			} else {
				word, _ := w.connection(ev.Node, ev.Peer)
				w.Net.SetConnection(min(ev.Node, ev.Peer), max(ev.Node, ev.Peer), w.Conns.Content(w.Vector[word]))
			}
		}
	}
	return w.Bench.Label(ev)
}

// Messages implements [kernel.World].
func (w *World) Messages(ev netmodel.Event, buf []sim.Envelope) []sim.Envelope {
	if ev.Msgs == 0 {
		return buf
	}
	if ev.Kind == eventkind.TakeQuorum {
		set := w.Quorums.Sets[w.Gathered(ev.Node).Sets[ev.Slot].ID]
		for i, from := range set.From {
			buf = append(buf, sim.Envelope{From: from, To: ev.Node, Msg: w.Contents.List[set.Msgs[i]].Body})
		}
		return buf
	}
	m := sim.Envelope{From: ev.Peer, To: ev.Node, Stream: ev.Slot < 0}
	if m.Stream {
		word, side := w.connection(ev.Peer, ev.Node)
		m.Msg = w.Contents.List[w.Conns.Queue(w.Vector[word], side)[0]].Body
	} else {
		m.Msg = w.Contents.List[w.Inboxes.List[w.Vector[w.Layout.Inboxes+int(ev.Node)]].Items[ev.Slot].Msg].Body
	}
	return append(buf, m)
}

// Timer implements [kernel.World].
func (w *World) Timer(ev netmodel.Event) any {
	return w.Locals.List[w.Vector[ev.Node]].State.Timer(ev.Slot)
}

// NodeFields implements [kernel.World].
func (w *World) NodeFields(id sim.NodeID) []diff.Field {
	return w.FieldsOf(id, w.Locals.List[w.Vector[id]].State)
}

// NetFields implements [kernel.World].
func (w *World) NetFields() []diff.Field {
	l := &w.Layout
	if w.Net != nil {
		w.Net.Reset()
		w.Net.SetRest(w.NetGlobals.List[w.Vector[l.NetGlobals]].State)
		for i := range l.InboxCount {
			w.Net.SetBag(sim.NodeID(i), w.Inboxes.Content(w.Vector[l.Inboxes+i]))
		}
		for i := range l.PairCount {
			low, high := w.PairAt(i)
			w.Net.SetConnection(low, high, w.Conns.Content(w.Vector[l.Conns+i]))
		}
	}
	return w.Bench.NetFields(store.FaultsLeft(w.Vector[l.Budget]))
}

// InFlight implements [kernel.World].
func (w *World) InFlight() iter.Seq[sim.Envelope] { return w.inFlight }
