package netsim

import (
	"errors"
	"fmt"
	"math"
	"reflect"

	"github.com/macemc/macemc/sim"
)

// Queues is a network for machines that send events to each other's input queues (package machine, and languages such
// as P): env.Send is reliable, without a limit of its own, and in order. It loses and duplicates nothing; the zero
// value keeps, as TCP does, the order of what one node sends to another.
//
// What is on its way to a node when that crashes is lost with the node, and so is what is sent to a node that is down.
// On a real network messages go over TCP, which keeps the order PerPair and no other.
type Queues struct {
	Order Order
	// Bound is how many messages from one node to another may wait at a time; one more is a finding that names
	// both. 0: no bound.
	Bound int
	// AtMost bounds messages of these types: how many that are on their way to a node may wait at a time, whoever sent them. One more is a
	// finding that names its sender and the receiver.
	AtMost map[reflect.Type]int
}

// Order says which messages of a queue can be delivered next.
type Order uint8

const (
	// PerPair: messages of one sender arrive in the order in which they were sent. Whatever a checked program does
	// in the other orders but Any it does here, too.
	PerPair Order = iota
	// Arrival: a node takes messages in the order in which they arrived, whoever sent them, as in P. What a
	// handler sends arrives one by one: other nodes may act between two of its messages, it itself may not.
	Arrival
	// Any: messages arrive in any order.
	Any
)

func (o Order) String() string {
	if o > Any {
		return fmt.Sprintf("Order(%d)", uint8(o))
	}
	return [...]string{"PerPair", "Arrival", "Any"}[o]
}

// QueueProperty is the property name of findings about queues that outgrow their bound.
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
	for t, n := range q.AtMost { //lint:sorted whichever is met first, it is an error
		if n < 1 {
			return fmt.Errorf("at most %d messages %v may wait: must be at least 1", n, t)
		}
	}
	return validate(nodes, 0, sim.Limits{})
}

// Limits implements [sim.Network].
func (Queues) Limits() sim.Limits { return sim.Limits{} }

// WithLimits implements [sim.Network]: there are no faults.
func (q Queues) WithLimits(l sim.Limits) (sim.Network, error) {
	if l != (sim.Limits{}) {
		return nil, errors.New("queues have no faults: loss is for a machine to draw, or for netsim.Datagrams")
	}
	return q, nil
}

// Start implements [sim.Network].
func (q Queues) Start(host sim.NetHost) sim.NetModel {
	return newModel(host, config{datagrams: true, queues: true, order: q.Order, bound: q.Bound, atMost: q.AtMost})
}

// Ordered reports whether real networks must keep the order of what [sim.Env.Send] sends, and lose nothing of it.
func (m *model) Ordered() bool { return m.queues }

// arrives reports whether messages arrive by events of their own.
func (m *model) arrives() bool { return m.queues && m.order == Arrival }

// Queues implements [sim.Queued].
func (m *model) Queues() (oneByOne, bounded bool) {
	return m.arrives(), m.bound > 0 || len(m.atMost) > 0
}

// Holds implements [sim.Queued].
func (m *model) Holds(node sim.NodeID) bool {
	return m.arrives() && len(m.bags[node]) > 0 && m.bags[node][0].from < 0
}

// leave makes a message the last of those that node has yet to send.
func (m *model) leave(node, to sim.NodeID, cell int32) {
	i := 0
	for i < len(m.bags[node]) && m.bags[node][i].from < 0 {
		i++
	}
	m.insertAt(node, i, datagram{^to, cell, i > 0})
}

// arrive puts the first message that node has yet to send into the queue of its receiver.
func (m *model) arrive(node sim.NodeID) {
	to := ^m.bags[node][0].from
	m.host.Dirty(node)
	m.Arrive(node, to, *m.takeDatagram(node, 0))
}

// Arrive implements [sim.Parted].
func (m *model) Arrive(from, to sim.NodeID, msg sim.Message) {
	if !m.host.Up(to) {
		m.host.Fate(msg.ID, sim.DroppedDown)
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

// waiting is how many messages from one node to another wait.
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

// alike is how many messages of the type of one wait for a node, and how many may.
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

// behind reports where a message from a node goes in a bag that keeps an order, and whether it must wait for the one
// before it there.
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

// forget drops what is on its way to a node, or yet to be sent by it.
func (m *model) forget(node sim.NodeID) {
	for range m.bags[node] {
		m.host.Fate(m.takeDatagram(node, 0).ID, sim.DroppedCrash)
	}
}
