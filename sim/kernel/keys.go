package kernel

import (
	"fmt"

	"github.com/macemc/macemc/sim"
)

// ParseEventKind is the inverse of [sim.EventKind.String].
func ParseEventKind(s string) (sim.EventKind, bool) {
	for k := sim.Boot; k <= sim.Partition; k++ {
		if k.String() == s {
			return k, true
		}
	}
	return 0, false
}

// Key names the event by its class, nodes and content.
func (w *machine) Key(ev sim.Event) string {
	switch ev.Kind {
	case sim.Crash, sim.Halt:
		return fmt.Sprintf("%v %s", ev.Kind, w.process(ev.Node))
	case sim.Boot:
		return fmt.Sprintf("%v n%d", ev.Kind, ev.Node)
	case sim.DoAction:
		return fmt.Sprintf("%v n%d %s", ev.Kind, ev.Node, w.actions[ev.Slot].Name)
	case sim.Internal:
		return fmt.Sprintf("%v n%d", ev.Kind, ev.Node)
	case sim.FireTimer:
		return fmt.Sprintf("%v n%d %s", ev.Kind, ev.Node, w.nodes[ev.Node].armed[ev.Slot].kind.text)
	}
	if ev.Kind == sim.TakeQuorum {
		return w.quorumKey(ev)
	}
	key := ev.Kind.String()
	switch {
	case ev.Node >= 0 && ev.Peer >= 0:
		key += fmt.Sprintf(" n%d<-n%d", ev.Node, ev.Peer)
	case ev.Node >= 0:
		key += fmt.Sprintf(" n%d", ev.Node)
	}
	if content := w.net.Key(ev); content != "" {
		key += " " + content
	}
	return key
}

func (w *machine) Messages(ev sim.Event, buf []sim.Envelope) []sim.Envelope {
	if ev.Msgs == 0 {
		return buf
	}
	if ev.Kind == sim.TakeQuorum {
		return w.quorumMessages(ev, buf)
	}
	return w.net.Messages(ev, buf)
}

// process names the nodes that run in one process with a node, whichever of them are up: "n1", "n1 with n2, n3".
func (w *machine) process(id sim.NodeID) string {
	all := w.sys.Process(id)
	text, joint := fmt.Sprintf("n%d", all[0]), " with "
	for _, id := range all[1:] {
		text += fmt.Sprintf("%sn%d", joint, id)
		joint = ", "
	}
	return text
}
