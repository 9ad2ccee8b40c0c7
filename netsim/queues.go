package netsim

import (
	"errors"
	"fmt"
	"math"
	"reflect"

	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// Queues is a network for machines that send events to each other's input queues (package machine, and languages such
// as P): env.Send is reliable, in order, and has no limit of its own. It loses and duplicates nothing. The zero value
// keeps the order of the messages from one node to another, as TCP does.
//
// Unlike with [Datagrams], a crash of a node loses the messages on their way to it. Messages sent to a node that is down
// are lost. On a real network messages travel over TCP, which keeps the order PerPair and no other.
type Queues struct {
	Order Order
	// Bound is the maximum number of messages from one node to another that may wait at a time. One more is a finding
	// that names both nodes. 0 means no bound.
	Bound int
	// AtMost bounds messages by type: the number of messages of the type that may wait for a node at a time, from all
	// senders. One more is a finding that names its sender and the receiver.
	AtMost map[reflect.Type]int
}

// Order selects the messages of a queue that can be delivered next.
type Order uint8

const (
	// PerPair delivers the messages of one sender in the order in which they were sent. It includes every behavior of
	// the other orders but Any.
	PerPair Order = iota
	// Arrival delivers messages to a node in the order in which they arrived, from all senders, as in P. The messages
	// that a handler sends arrive one by one: other nodes may act between two of them, but the sender may not.
	Arrival
	// Any delivers messages in any order.
	Any
)

func (o Order) String() string {
	if o > Any {
		return fmt.Sprintf("Order(%d)", uint8(o))
	}
	return [...]string{"PerPair", "Arrival", "Any"}[o]
}

// QueueProperty is the property name of findings about queues that exceed their bound.
const QueueProperty = "queues stay within their bound"

var _ sim.Network = Queues{}

// Validate implements [sim.Network].
func (q Queues) Validate(nodes int) error {
	if q.Order > Any {
		return fmt.Errorf("%v is not one of PerPair, Arrival, Any", q.Order)
	}
	if q.Bound < 0 {
		return fmt.Errorf("the bound of a queue is %d, must be at least 1, or 0 for none", q.Bound)
	}
	for t, n := range q.AtMost { //lint:sorted any order gives an error
		if n < 1 {
			return fmt.Errorf("at most %d messages %v may wait: must be at least 1", n, t)
		}
	}
	return validate(nodes, 0, sim.Limits{})
}

// Limits implements [sim.Network].
func (Queues) Limits() sim.Limits { return sim.Limits{} }

// WithLimits implements [sim.Network]. Queues have no faults.
func (q Queues) WithLimits(l sim.Limits) (sim.Network, error) {
	if l != (sim.Limits{}) {
		return nil, errors.New("queues have no faults: make loss a choice of a machine, or use netsim.Datagrams")
	}
	return q, nil
}

// Start implements [sim.Network].
func (q Queues) Start(host netmodel.Host) netmodel.Model {
	return newModel(host, config{datagrams: true, queues: true, order: q.Order, bound: q.Bound, atMost: q.AtMost})
}

// Ordered reports whether real networks must keep the order of messages that [sim.Env.Send] sends, and lose none.
func (m *model) Ordered() bool { return m.queues }

// arrives reports whether messages arrive by events of their own.
func (m *model) arrives() bool { return m.queues && m.order == Arrival }

// Queues implements [netmodel.Queued].
func (m *model) Queues() (oneByOne, bounded bool) {
	return m.arrives(), m.bound > 0 || len(m.atMost) > 0
}

// Holds implements [netmodel.Queued].
func (m *model) Holds(node sim.NodeID) bool {
	return m.arrives() && len(m.bags[node]) > 0 && m.bags[node][0].from < 0
}

// leave appends a message to those that have not left node. They precede the others in its bag, and their from is ^to. They leave it one by
// one, by Arrive events.
func (m *model) leave(node, to sim.NodeID, cell int32) {
	i := 0
	for i < len(m.bags[node]) && m.bags[node][i].from < 0 {
		i++
	}
	m.insertAt(node, i, datagram{^to, cell, i > 0})
}

// arrive moves the first message that has not left node into the queue of its receiver.
func (m *model) arrive(node sim.NodeID) {
	to := ^m.bags[node][0].from
	m.host.Dirty(node)
	m.Arrive(node, to, *m.takeDatagram(node, 0))
}

// Arrive implements [netmodel.Parted].
func (m *model) Arrive(from, to sim.NodeID, msg netmodel.Message) {
	if !m.host.Up(to) {
		m.host.Fate(msg.ID, netmodel.DroppedDown)
		return
	}
	if waits := m.waiting(from, to); m.bound > 0 && waits >= m.bound {
		panic(&sim.Finding{Kind: sim.Safety, Property: QueueProperty, Node: from, Message: fmt.Sprintf(
			"n%d sends %s to n%d, for which %d of its messages wait already; the bound is %d",
			from, m.host.DescribeMessage(&msg), to, waits, m.bound)})
	}
	if waits, most := m.alike(to, msg.Body); waits >= most {
		panic(&sim.Finding{Kind: sim.Safety, Property: QueueProperty, Node: from, Message: fmt.Sprintf(
			"n%d sends %s to n%d, for which %d messages of that type wait already; at most %d may",
			from, m.host.DescribeMessage(&msg), to, waits, most)})
	}
	m.insert(from, to, m.store(&msg))
}

// waiting returns the number of messages from one node to another that wait.
func (m *model) waiting(from, to sim.NodeID) (n int) {
	if m.bound == 0 {
		return 0
	}
	for _, d := range m.bags[to] {
		if d.from == from {
			n++
		}
	}
	return n
}

// alike returns the number of waiting messages to a node that have the type of body, and the maximum of that number.
func (m *model) alike(to sim.NodeID, body any) (waits, most int) {
	if len(m.atMost) == 0 {
		return 0, math.MaxInt
	}
	t := reflect.TypeOf(body)
	most, ok := m.atMost[t]
	if !ok {
		return 0, math.MaxInt
	}
	for _, d := range m.bags[to] {
		if d.from >= 0 && reflect.TypeOf(m.cells[d.cell].msg.Body) == t {
			waits++
		}
	}
	return waits, most
}

// behind returns the position of a message from a node in an ordered bag, and reports whether it must wait for the
// message before it.
func (m *model) behind(from, to sim.NodeID) (place int, waits bool) {
	bag := m.bags[to]
	place = len(bag)
	if m.order == Arrival {
		return place, place > 0 && bag[place-1].from >= 0
	}
	for place > 0 && bag[place-1].from > from {
		place--
	}
	return place, place > 0 && bag[place-1].from == from
}
