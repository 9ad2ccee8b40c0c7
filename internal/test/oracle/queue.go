package oracle

import (
	"fmt"
	"slices"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// The rules in the documentation of netsim.Queues.

// queue sends a message into a queue, or leaves it with its sender until it arrives.
func (m *model) queue(s *state, from, to, value int) *finding {
	if m.script.Queue == ByArrival && m.defect != arriveAtOnce {
		s.yet[from] = append(s.yet[from], parcel{to, value})
		return nil
	}
	return m.arrive(s, from, to, value)
}

// arrive puts a message into the queue of its receiver. The finding reports a full queue.
func (m *model) arrive(s *state, from, to, value int) *finding {
	if !s.nodes[to].up {
		return nil
	}
	wait, last := 0, -1
	for i, d := range s.bags[to] {
		if d.from == from {
			wait, last = wait+1, i
		}
	}
	if m.script.Bound > 0 && wait >= m.script.Bound && m.defect != outgrowBound {
		return &finding{sim.Safety, netsim.QueueProperty,
			fmt.Sprintf("n%d sends %s to n%d, for which %d of its messages wait already; the bound is %d",
				from, m.word(value), to, wait, m.script.Bound), from}
	}
	if most, alike := m.atMost(s, from, to, value); most > 0 && alike >= most && m.defect != outgrowMost {
		return &finding{sim.Safety, netsim.QueueProperty,
			fmt.Sprintf("n%d sends %s to n%d, for which %d messages of that type wait already; at most %d may",
				from, m.word(value), to, alike, most), from}
	}
	d := datagram{from, value}
	switch {
	case m.script.Queue == Unordered:
		s.add(to, d)
	case m.script.Queue == ByArrival:
		s.bags[to] = append(s.bags[to], d)
	case wait > 0:
		s.bags[to] = slices.Insert(s.bags[to], last+1, d)
	default: // the first of its sender; each sender's messages are in order
		i := slices.IndexFunc(s.bags[to], func(o datagram) bool { return o.from > from })
		if i < 0 {
			i = len(s.bags[to])
		}
		s.bags[to] = slices.Insert(s.bags[to], i, d)
	}
	return nil
}

// atMost returns the maximum number of messages of a value's type that may wait for a node (0 for no bound), and
// the current number.
func (m *model) atMost(s *state, from, to, value int) (most, wait int) {
	t := m.script.message(value)
	switch t {
	case Word:
		most = m.script.MostWords
	case Note:
		most = m.script.MostNotes
	}
	for _, d := range s.bags[to] {
		if m.script.message(d.value) == t && (d.from == from || m.defect != mostOfSender) {
			wait++
		}
	}
	return most, wait
}

// leave moves a node's first outgoing message to its receiver.
func (m *model) leave(s *state, from int) *finding {
	p := s.yet[from][0]
	s.yet[from] = s.yet[from][1:]
	return m.arrive(s, from, p.to, p.value)
}

// queueEvents lists the messages in a node's queue that can be delivered.
func (m *model) queueEvents(s *state, i int) (out []event) {
	given := func(k int) bool {
		d := s.bags[i][k]
		before := s.bags[i][:k]
		switch kind := m.script.Queue; {
		case kind == ByArrival && m.defect != bySender:
			return k == 0
		case kind == Unordered || m.defect == overtakeInQueue:
			return !slices.Contains(before, d)
		}
		return !slices.ContainsFunc(before, func(o datagram) bool { return o.from == d.from })
	}
	for k, d := range s.bags[i] {
		if given(k) {
			out = append(out, event{kind: eventkind.Deliver, node: i, peer: d.from, what: d.value})
		}
	}
	return out
}

// crashQueues drops the messages to a node, and its outgoing messages.
func (m *model) crashQueues(s *state, node int) {
	if m.script.Queue == NoQueue || m.defect == keepQueues {
		return
	}
	s.bags[node], s.yet[node] = nil, nil
}

// word formats a message.
func (m *model) word(value int) string {
	text := fmt.Sprintf("%s(%d)", m.script.message(value), value)
	if m.script.Pointers {
		text = "&" + text
	}
	return text
}
