package transport

import (
	"fmt"
	"strings"

	"github.com/macemc/macemc/sim"
)

// Names of the properties.
const (
	AllSent        = "every node sends all its messages"
	Acknowledged   = "every message sent on an open connection is acknowledged"
	InOrder        = "messages are delivered in order and once"
	Complete       = "a message is delivered when all of it has arrived"
	TimersSet      = "every packet in flight has its timer"
	NoFutureAck    = "nothing is acknowledged that has not arrived"
	CumulativeAck  = "everything that has arrived in order is acknowledged"
	BufferKept     = "buffered packets are dropped by a SYN or a time-out only"
	CallbacksMatch = "clear-to-send call-backs match requests"
)

// properties returns the properties, cheap ones first.
func properties() []sim.Property {
	return []sim.Property{
		{Name: AllSent, Eventually: allSent, Explain: explainOutgoing},
		{Name: Acknowledged, Eventually: acknowledged, Explain: explainOutgoing},
		{Name: InOrder, Always: sim.Each(inOrder), Explain: explainDisorder},
		{Name: Complete, Always: each(complete), Explain: explainIncoming},
		{Name: NoFutureAck, Always: each(noFutureAck), Explain: explainIncoming},
		{Name: CumulativeAck, Always: each(cumulativeAck), Explain: explainIncoming},
		{Name: BufferKept, Always: sim.Each(bufferKept), Explain: explainIncoming},
		{Name: CallbacksMatch, Always: sim.Each(callbacksMatch), Explain: explainOutgoing},
		{Name: TimersSet, Always: timersSet, Explain: explainOutgoing},
	}
}

func inOrder(_ sim.NodeID, n *Talker) bool { return n.disorder.want == 0 }

func complete(in *incoming) bool { return in.deliver <= in.expected }

func noFutureAck(in *incoming) bool { return in.acked < in.expected }

func cumulativeAck(in *incoming) bool { return in.acked >= in.expected-1 }

func bufferKept(_ sim.NodeID, n *Talker) bool { return n.transport.wasted == 0 }

func callbacksMatch(_ sim.NodeID, n *Talker) bool { return n.unasked == 0 }

// each lifts a predicate over incoming connections to all open ones.
func each(holds func(*incoming) bool) func(*sim.View) bool {
	return sim.Each(func(_ sim.NodeID, n *Talker) bool {
		for i := range n.transport.peers {
			if in := &n.transport.peers[i].in; in.open && !holds(in) {
				return false
			}
		}
		return true
	})
}

// node returns a node, or nil if it is down.
func node(v *sim.View, id sim.NodeID) *Talker {
	n, _ := v.Service(id).(*Talker)
	return n
}

// allSent reports whether all nodes are up, and their applications have passed on all messages.
func allSent(v *sim.View) bool {
	for id := range sim.NodeID(v.Len()) {
		n := node(v, id)
		if n == nil {
			return false
		}
		for peer := range n.talks {
			if sim.NodeID(peer) != id && n.talks[peer].sent < n.messages {
				return false
			}
		}
	}
	return true
}

// acknowledged reports whether nothing is in flight or buffered on all open connections, and their ends agree on
// the next sequence number. A receiver that has closed its end, or restarted, reports this when the next packet
// arrives.
func acknowledged(v *sim.View) bool {
	for id := range sim.NodeID(v.Len()) {
		n := node(v, id)
		if n == nil {
			continue
		}
		for peer := range n.transport.peers {
			o := &n.transport.peers[peer].out
			if !o.open {
				continue
			}
			if len(o.packets) > 0 {
				return false
			}
			if other := node(v, sim.NodeID(peer)); other != nil {
				if in := &other.transport.peers[id].in; in.open && in.expected != o.base {
					return false
				}
			}
		}
	}
	return true
}

func timersSet(v *sim.View) bool {
	for id := range sim.NodeID(v.Len()) {
		n := node(v, id)
		if n == nil {
			continue
		}
		for peer := range n.transport.peers {
			o := &n.transport.peers[peer].out
			for i := range o.sent {
				if o.packets[i].flying && !v.TimerSet(id, retransmit{sim.NodeID(peer), o.base + i}) {
					return false
				}
			}
		}
	}
	return true
}

func explainOutgoing(v *sim.View) string {
	return explain(v, func(b *strings.Builder, n *Talker, peer sim.NodeID) {
		o, t := &n.transport.peers[peer].out, &n.talks[peer]
		fmt.Fprintf(b, "%d of %d messages sent", t.sent, n.messages)
		if t.waiting {
			b.WriteString(", waiting for clear to send")
		}
		if n.unasked > 0 {
			fmt.Fprintf(b, ", %d call-backs not asked for", n.unasked)
		}
		if !o.open {
			b.WriteString("; closed")
			return
		}
		fmt.Fprintf(b, "; next acknowledgement %d", o.base)
		for i := range o.packets {
			state := "to be sent again"
			switch {
			case i >= o.sent:
				state = "to be sent"
			case o.packets[i].flying && v.TimerSet(n.self, retransmit{peer, o.base + i}):
				state = "in flight"
			case o.packets[i].flying:
				state = "in flight without a timer"
			}
			fmt.Fprintf(b, ", %d %s", o.base+i, state)
		}
	})
}

func explainIncoming(v *sim.View) string {
	return explain(v, func(b *strings.Builder, n *Talker, peer sim.NodeID) {
		in := &n.transport.peers[peer].in
		if !in.open {
			b.WriteString("closed")
		} else {
			fmt.Fprintf(b, "expects %d, delivers %d next, acknowledged %d, holds %d packets",
				in.expected, in.deliver, in.acked, in.buffered())
		}
		if n.transport.wasted > 0 {
			fmt.Fprintf(b, "; %d buffered packets were dropped", n.transport.wasted)
		}
	})
}

func explainDisorder(v *sim.View) string {
	var lines []string
	for id, n := range sim.Nodes[*Talker](v) {
		if d := n.disorder; d.want > 0 {
			lines = append(lines, fmt.Sprintf("n%d was delivered message %d of session %d when message %d was next",
				id, d.got.Number, d.got.Session.Count, d.want))
		}
	}
	return strings.Join(lines, "\n")
}

// explain returns one line for each connection.
func explain(v *sim.View, tell func(*strings.Builder, *Talker, sim.NodeID)) string {
	var lines []string
	for id := range sim.NodeID(v.Len()) {
		n := node(v, id)
		if n == nil {
			lines = append(lines, fmt.Sprintf("n%d: down", id))
			continue
		}
		for peer := range sim.NodeID(v.Len()) {
			if peer != id {
				var b strings.Builder
				fmt.Fprintf(&b, "n%d with n%d: ", id, peer)
				tell(&b, n, peer)
				lines = append(lines, b.String())
			}
		}
	}
	return strings.Join(lines, "\n")
}
