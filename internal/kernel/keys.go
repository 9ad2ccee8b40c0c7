package kernel

import (
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// Label implements [World].
func (w *Machine) Label(ev netmodel.Event) stepinfo.Label {
	l := stepinfo.Label{Event: ev}
	if ev.Kind.TakesDown() {
		l.Process = w.Sys.Process(ev.Node)
		return l
	}
	if ev.Kind.OfProgram() {
		return l
	}
	switch ev.Kind {
	case eventkind.Boot, eventkind.Internal:
	case eventkind.DoAction:
		l.Content = w.Actions[ev.Slot].Name
	case eventkind.FireTimer:
		l.Content = w.Members[ev.Node].Armed[ev.Slot].Kind.Text
	case eventkind.TakeQuorum:
		l.Content = w.Quorums[w.Members[ev.Node].sets[ev.Slot].quorum].Name
		for _, m := range w.quorumMessages(ev, nil) {
			l.Set = append(l.Set, sim.From[string]{From: m.From, Msg: w.PlanOf(m.Msg).Text(m.Msg)})
		}
	default:
		l.Carrier, l.Content = w.Net.Key(ev)
	}
	return l
}

// Key implements [World].
func (w *Machine) Key(ev netmodel.Event) string {
	l := w.Label(ev)
	return l.String()
}

func (w *Machine) Messages(ev netmodel.Event, buf []sim.Envelope) []sim.Envelope {
	if ev.Msgs == 0 {
		return buf
	}
	if ev.Kind == eventkind.TakeQuorum {
		return w.quorumMessages(ev, buf)
	}
	return w.Net.Messages(ev, buf)
}

// Timer implements [World].
func (w *Machine) Timer(ev netmodel.Event) any { return w.Members[ev.Node].Armed[ev.Slot].Value }

// Disturbs implements [World].
func (w *Machine) Disturbs(ev netmodel.Event) bool {
	return w.disturbing.Has(ev, func() any {
		if ev.Kind == eventkind.FireTimer {
			return w.Timer(ev)
		}
		if w.envelopes = w.Messages(ev, w.envelopes[:0]); len(w.envelopes) == 0 {
			return nil
		}
		return w.envelopes[0].Msg
	})
}
