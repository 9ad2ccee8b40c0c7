package netsim

import (
	"fmt"
	"strings"

	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

// message returns the message that an event delivers, strikes or lets arrive, or nil for other events.
func (m *model) message(ev netmodel.Event) *netmodel.Message {
	switch {
	case !ev.Kind.OfMessage() && ev.Kind != eventkind.Arrive:
		return nil
	case ev.Slot == noSlot:
		return &m.cells[m.end(ev.Peer, ev.Node).head].msg
	}
	return &m.cells[m.bags[ev.Node][ev.Slot].cell].msg
}

// Messages implements [netmodel.Model]. A Duplicate event consumes nothing.
func (m *model) Messages(ev netmodel.Event, buf []sim.Envelope) []sim.Envelope {
	if ev.Msgs > 0 {
		msg := m.message(ev)
		buf = append(buf, sim.Envelope{From: ev.Peer, To: ev.Node, Msg: msg.Body, ID: msg.ID, Stream: ev.Slot == noSlot})
	}
	return buf
}

// Key implements [netmodel.Model]. The content is the message, or the text of the error.
func (m *model) Key(ev netmodel.Event) (carrier, content string) {
	if ev.Kind == eventkind.DeliverError {
		return "", m.errorAt(ev.Node, ev.Peer).Error()
	}
	if ev.Kind == eventkind.Break && m.attempted(ev.Node, ev.Peer) {
		return "", simext.Attempt
	}
	msg := m.message(ev)
	if msg == nil {
		return "", ""
	}
	if m.streams && m.datagrams {
		carrier = "datagram"
		if ev.Slot == noSlot {
			carrier = "stream"
		}
	}
	return carrier, m.host.DescribeMessage(msg)
}

func (m *model) errorAt(node, peer sim.NodeID) error {
	if m.end(node, peer).flags&notReady != 0 {
		return sim.ErrRefused
	}
	return sim.ErrReset
}

// InFlight implements [netmodel.Model]. The order is by receiver. For each receiver, messages of streams come first, by
// sender and in the order in which they were sent, then datagrams by content and sender.
func (m *model) InFlight(yield func(sim.Envelope) bool) {
	if m.inFlight == 0 {
		return
	}
	for i := range m.nodes {
		if to := sim.NodeID(i); !m.streamsTo(to, yield) || !m.datagramsTo(to, yield) {
			return
		}
	}
}

func (m *model) streamsTo(to sim.NodeID, yield func(sim.Envelope) bool) bool {
	if !m.streams {
		return true
	}
	for i := range m.nodes {
		from := sim.NodeID(i)
		e := m.end(from, to)
		for c, n := e.head, e.n; n > 0; c, n = m.cells[c].next, n-1 {
			msg := &m.cells[c].msg
			if !yield(sim.Envelope{From: from, To: to, Msg: msg.Body, ID: msg.ID, Stream: true}) {
				return false
			}
		}
	}
	return true
}

func (m *model) datagramsTo(to sim.NodeID, yield func(sim.Envelope) bool) bool {
	if !m.datagrams {
		return true
	}
	for _, d := range m.bags[to] {
		msg := &m.cells[d.cell].msg
		if !yield(netmodel.QueuedEnvelope(d.from, to, msg.Body, msg.ID)) {
			return false
		}
	}
	return true
}

// Fields implements [netmodel.Model]. It appends the remaining fault limits, the partition, then for each pair of nodes
// the sender's end of the connection and its queue, then datagrams by receiver. Ends and queues in their initial state
// are left out.
func (m *model) Fields(buf []diff.Field) []diff.Field {
	if m.queues {
		return m.queueFields(buf)
	}
	for i := range faults {
		if f := &faults[i]; f.exists(&m.config) {
			buf = append(buf, diff.Field{Path: f.of.String() + " left", Value: fmt.Sprint(m.left[f.of])})
		}
	}
	if m.partition.active {
		buf = append(buf, diff.Field{Path: "partition", Value: m.partition.String()})
	}
	if m.streams {
		for i := range m.ends {
			buf = m.endFields(sim.NodeID(i/m.nodes), sim.NodeID(i%m.nodes), buf)
		}
	}
	for node, bag := range m.bags {
		for i, d := range bag {
			buf = append(buf, diff.Field{Path: fmt.Sprintf("datagrams to n%d[%d]", node, i),
				Value: fmt.Sprintf("n%d: %s", d.from, m.host.DescribeMessage(&m.cells[d.cell].msg))})
		}
	}
	return buf
}

// queueFields appends the messages that wait for each node, and those that each has yet to send.
func (m *model) queueFields(buf []diff.Field) []diff.Field {
	for node, bag := range m.bags {
		for i, d := range bag {
			f := diff.Field{Path: fmt.Sprintf("queue of n%d[%d]", node, i), Value: fmt.Sprintf("n%d: ", d.from)}
			if d.from < 0 {
				f = diff.Field{Path: fmt.Sprintf("n%d has yet to send[%d]", node, i), Value: fmt.Sprintf("to n%d: ", ^d.from)}
			}
			f.Value += m.host.DescribeMessage(&m.cells[d.cell].msg)
			buf = append(buf, f)
		}
	}
	return buf
}

func (m *model) endFields(node, peer sim.NodeID, buf []diff.Field) []diff.Field {
	e, other := m.end(node, peer), m.end(peer, node)
	if e.flags != 0 {
		value := e.flags.String()
		switch half := e.flags ^ other.flags; {
		case half&open == 0 || (e.flags|other.flags)&localErr == 0:
		case e.flags&open == 0:
			value = fmt.Sprintf("half-open: closed or crashed here, n%d has not noticed", peer)
		default:
			value = fmt.Sprintf("half-open: n%d has closed it or crashed, %s", peer, value)
		}
		buf = append(buf, diff.Field{Path: fmt.Sprintf("n%d->n%d", node, peer), Value: value})
	}
	i := 0
	for c, n := e.head, e.n; n > 0; c, n = m.cells[c].next, n-1 {
		buf = append(buf, diff.Field{Path: fmt.Sprintf("n%d->n%d[%d]", node, peer, i),
			Value: m.host.DescribeMessage(&m.cells[c].msg)})
		i++
	}
	return buf
}

func (c *partition) String() string {
	if c.peer < 0 {
		return fmt.Sprintf("n%d | all others", c.node)
	}
	return fmt.Sprintf("n%d | n%d", c.node, c.peer)
}

var flagNames = [...]string{"peer not yet told of error", "error to come", "open", "refused", "ready to come"}

// String returns the names of the flags that are set.
func (f flags) String() string {
	var set []string
	for i, name := range flagNames {
		if f&(1<<i) != 0 {
			set = append(set, name)
		}
	}
	return strings.Join(set, ", ")
}
