package knowncounts

import (
	"math/bits"

	"github.com/macemc/macemc/sim"
)

// eventually returns an Eventually property of the state of a whole model.
func eventually[S state[S]](name string, holds func(S) bool) sim.Property {
	return sim.Property{Name: name, Eventually: sim.Each(func(_ sim.NodeID, h *holder[S]) bool { return holds(h.State) })}
}

// mutex is Peterson's algorithm; Line counts a0 to a3, cs, a4.
type mutex struct {
	Line [2]uint8
	Want [2]bool
	Turn int
}

func (mutex) first(drawer) mutex { return mutex{} }

func (m mutex) next() (out []mutex) {
	for i := range m.Line {
		n, other := m, 1-i
		n.Line[i] = (m.Line[i] + 1) % 6
		switch m.Line[i] {
		case 1:
			n.Want[i] = true
		case 2:
			n.Turn = other
		case 3:
			if m.Want[other] && m.Turn != i {
				continue
			}
		case 5:
			n.Want[i] = false
		}
		out = append(out, n)
	}
	return out
}

func (m mutex) holds() bool { return m.Line[0] < 4 || m.Line[1] < 4 }

func peterson() System {
	return System{Name: "Peterson", Source: examples + "locks_auxiliary_vars/Peterson.cfg", System: relation[mutex](), States: 42}
}

// waiting is the set of those of six processes that have reached a barrier.
type waiting uint

func (waiting) first(drawer) waiting { return 0 }

func (w waiting) next() (out []waiting) {
	for i := range 6 {
		if w>>i&1 == 0 {
			out = append(out, w|1<<i)
		}
	}
	if w == 1<<6-1 {
		out = append(out, 0)
	}
	return out
}

func (waiting) holds() bool { return true }

func barrier() System {
	return System{Name: "Barrier, 6 processes", Source: examples + "barriers/Barrier.cfg", System: relation[waiting](), States: 64}
}

// allocation is the allocation of two resources to three clients, with sets as bits.
type allocation struct{ Unsatisfied, Has [3]uint }

func (allocation) first(drawer) allocation { return allocation{} }

func (a allocation) next() (out []allocation) {
	free := uint(3)
	for _, has := range a.Has {
		free &^= has
	}
	for c := range a.Has {
		for set := uint(1); set <= 3; set++ {
			n := a
			if a.Unsatisfied[c] == 0 && a.Has[c] == 0 {
				n.Unsatisfied[c] = set
				out = append(out, n)
			}
			if n = a; set&^(free&a.Unsatisfied[c]) == 0 {
				n.Has[c] |= set
				n.Unsatisfied[c] &^= set
				out = append(out, n)
			}
			if n = a; set&^a.Has[c] == 0 {
				n.Has[c] &^= set
				out = append(out, n)
			}
		}
	}
	return out
}

func (a allocation) holds() bool {
	return bits.OnesCount(a.Has[0]|a.Has[1]|a.Has[2]) == bits.OnesCount(a.Has[0])+bits.OnesCount(a.Has[1])+bits.OnesCount(a.Has[2])
}

func simpleAllocator() System {
	return System{Name: "SimpleAllocator, 3 clients, 2 resources", Source: examples + "allocator/SimpleAllocator.cfg",
		System: relation[allocation](), States: 400}
}

// alternating is the alternating bit protocol with two values, over lossy queues of at most two messages.
type alternating struct {
	Sends, Acked, Received uint8 // bits
	Value, Got             uint8
	Msgs                   queue // of bit and value
	Acks                   queue // of bits
}

// queue has at most two elements.
type queue struct {
	Len  int
	Item [2]uint8
}

func (q queue) push(v uint8) (queue, bool) {
	if q.Len == len(q.Item) {
		return q, false
	}
	q.Item[q.Len] = v
	q.Len++
	return q, true
}

// without removes an element. Unused elements are 0, so equal queues are equal values.
func (q queue) without(i int) queue {
	if i == 0 {
		q.Item[0] = q.Item[1]
	}
	q.Item[1] = 0
	q.Len--
	return q
}

func (alternating) first(draw drawer) alternating {
	bit := uint8(draw(2))
	return alternating{Sends: bit, Acked: bit, Received: bit, Value: uint8(draw(2)), Got: uint8(draw(2))}
}

func (a alternating) next() (out []alternating) {
	send := func(bit, value uint8) {
		n := a
		n.Sends, n.Value = bit, value
		var room bool
		if n.Msgs, room = a.Msgs.push(bit<<1 | value); room {
			out = append(out, n)
		}
	}
	if a.Acked == a.Sends {
		send(1-a.Sends, 0)
		send(1-a.Sends, 1)
	} else {
		send(a.Sends, a.Value)
	}
	n := a
	var room bool
	if n.Acks, room = a.Acks.push(a.Received); room {
		out = append(out, n)
	}
	for i := range a.Msgs.Len {
		n := a
		n.Msgs = a.Msgs.without(i)
		out = append(out, n)
		if i == 0 {
			n.Received, n.Got = a.Msgs.Item[0]>>1, a.Msgs.Item[0]&1
			out = append(out, n)
		}
	}
	for i := range a.Acks.Len {
		n := a
		n.Acks = a.Acks.without(i)
		out = append(out, n)
		if i == 0 {
			n.Acked = a.Acks.Item[0]
			out = append(out, n)
		}
	}
	return out
}

// holds checks that everything acknowledged was received.
func (a alternating) holds() bool {
	return a.Acked != a.Sends || a.Received != a.Sends || a.Got == a.Value
}

func alternatingBit() System {
	s := System{Name: "AlternatingBit", Source: examples + "SpecifyingSystems/TLC/MCAlternatingBit.cfg",
		System: relation[alternating](), States: 240}
	// Initially the sent and received values are arbitrary.
	s.Properties[0] = sim.Property{Name: "bits are bits", Always: sim.Each(func(_ sim.NodeID, h *holder[alternating]) bool {
		return h.State.Sends|h.State.Acked|h.State.Received <= 1
	})}
	return s
}
