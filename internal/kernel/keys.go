package kernel

import (
	"strconv"

	"github.com/macemc/macemc/sim"
)

// nodeName is n3.
func nodeName(id sim.NodeID) string { return "n" + strconv.Itoa(int(id)) }

// Key names the event by its class, nodes and content.
func (w *machine) Key(ev sim.Event) string {
	key := ev.Kind.String()
	switch ev.Kind {
	case sim.Crash, sim.Halt:
		return key + " " + w.process(ev.Node)
	case sim.Boot, sim.Internal:
		return key + " " + nodeName(ev.Node)
	case sim.DoAction:
		return key + " " + nodeName(ev.Node) + " " + w.actions[ev.Slot].Name
	case sim.FireTimer:
		return key + " " + nodeName(ev.Node) + " " + w.nodes[ev.Node].armed[ev.Slot].kind.text
	case sim.TakeQuorum:
		return w.quorumKey(ev)
	}
	if ev.Node >= 0 {
		key += " " + nodeName(ev.Node)
		if ev.Peer >= 0 {
			key += "<-" + nodeName(ev.Peer)
		}
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
	text, joint := nodeName(all[0]), " with "
	for _, id := range all[1:] {
		text += joint + nodeName(id)
		joint = ", "
	}
	return text
}
