package kernel

import (
	"fmt"
	"slices"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel/delays"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// Checkpoint is an immutable copy of a state. Any number of runs may continue from it, in any world of an equal system.
type Checkpoint struct {
	nodes       []*Local
	bags        [][]netmodel.Datagram // by receiver
	connections []netmodel.Connection // by pair
	rest        netmodel.Rest
	monitors    []sim.Monitor
	left        sim.Limits // faults of nodes
	doubled     bool
	delays      delays.Delays
	time        virtualTime
	steps       int
	nextID      sim.MessageID
}

// Steps is the number of steps before the state.
func (c *Checkpoint) Steps() int { return c.steps }

// Checkpointer is implemented by worlds of the replay engine.
type Checkpointer interface {
	// Checkpoint copies the state. The error names what cannot be copied. The cost is that of copying
	// all node states and messages in flight.
	Checkpoint() (*Checkpoint, error)
	// Resume restores the state of a checkpoint, which is not changed. Steps and message identities continue from
	// there. It fails if the checkpoint is of another system, or a state cannot be copied.
	Resume(*Checkpoint) error
	// Identities returns the number of message identities assigned, including those of copies that the network made.
	Identities() int
}

var _ Checkpointer = (*Machine)(nil)

func (w *Machine) Identities() int { return int(w.nextID) }

func (w *Machine) Checkpoint() (c *Checkpoint, err error) {
	defer encoding.Catch(&err)
	net, ok := w.Net.(netmodel.Parted)
	if !ok && w.Sys.Network != nil {
		return nil, fmt.Errorf("the network %T cannot be taken apart", w.Sys.Network)
	}
	c = &Checkpoint{delays: w.delays.Clone(), time: w.time.clone(), left: w.FaultsLeft, doubled: w.doubled, steps: w.Steps, nextID: w.nextID}
	for i := range w.Members {
		l := w.Take(&w.Members[i])
		if err := w.Copyable(l); err != nil {
			return nil, err
		}
		if l, err = w.CopyLocal(l); err != nil {
			return nil, err
		}
		c.nodes = append(c.nodes, l)
	}
	for _, m := range w.Monitors {
		p := w.PlanOf(m)
		if err := p.Uncopyable(); err != nil {
			return nil, err
		}
		c.monitors = append(c.monitors, p.Copy(m).(sim.Monitor))
	}
	if !ok {
		return c, nil
	}
	c.rest = net.Rest()
	datagrams, streams := net.Kinds()
	for a := range sim.NodeID(len(w.Members)) {
		if datagrams {
			c.bags = append(c.bags, w.copyBag(net.Bag(a)))
		}
		for b := sim.NodeID(0); streams && b <= a; b++ {
			c.connections = append(c.connections, w.copyConnection(net.Connection(b, a)))
		}
	}
	return c, nil
}

func (w *Machine) Resume(c *Checkpoint) error {
	if len(c.nodes) != len(w.Members) || len(c.monitors) != len(w.Sys.Monitors) {
		return fmt.Errorf("system %q: the checkpoint is of another system", w.Sys.Name)
	}
	w.delays, w.time = c.delays.Clone(), c.time.clone()
	w.FaultsLeft, w.doubled, w.Steps, w.nextID = c.left, c.doubled, c.steps, c.nextID
	for i := range w.Members {
		l, err := w.CopyLocal(c.nodes[i])
		if err != nil {
			return err
		}
		w.Properties.Shown.Services[i] = w.Put(sim.NodeID(i), l).Service
	}
	w.Monitors = w.Monitors[:0]
	for _, m := range c.monitors {
		w.Monitors = append(w.Monitors, w.PlanOf(m).Copy(m).(sim.Monitor))
	}
	w.Net.Reset()
	if net, ok := w.Net.(netmodel.Parted); ok {
		net.SetRest(c.rest)
		for i, bag := range c.bags {
			net.SetBag(sim.NodeID(i), w.copyBag(bag))
		}
		i := 0
		for a := sim.NodeID(0); i < len(c.connections); a++ {
			for b := range a + 1 {
				net.SetConnection(b, a, w.copyConnection(c.connections[i]))
				i++
			}
		}
	}
	w.Properties.Reset()
	w.events.listAnew()
	w.last.Reset(&netmodel.Event{Peer: -1})
	return nil
}

// copyBag copies a bag of messages, for storing and for restoring: the receiver of a message owns it.

func (w *Machine) copyBag(bag []netmodel.Datagram) []netmodel.Datagram {
	bag = slices.Clone(bag)
	for i := range bag {
		w.copyMessage(&bag[i].Msg)
	}
	return bag
}

func (w *Machine) copyConnection(c netmodel.Connection) netmodel.Connection {
	for i := range c {
		c[i].Queue = slices.Clone(c[i].Queue)
		for j := range c[i].Queue {
			w.copyMessage(&c[i].Queue[j])
		}
	}
	return c
}

func (w *Machine) copyMessage(m *netmodel.Message) {
	m.Attached().Sent = nil
	m.Body = w.PrivateTo(m.Body)
}
