package netsim

import (
	"errors"
	"fmt"

	"github.com/macemc/macemc/sim"
)

// legalPairs are the combinations of the four variables at both ends, from the package comment.
var legalPairs = [][2]flags{
	{0, 0},
	{notReady, 0},
	{open, open},
	{localErr | remoteErr | open, localErr | remoteErr | open},
	{localErr, remoteErr | open},
}

// legal is the safety property of the model. It returns an error for the first violation.
func (m *model) legal() error {
	cells := 0
	for i := range m.ends {
		a, b := sim.NodeID(i/m.nodes), sim.NodeID(i%m.nodes)
		if err := m.legalEnd(a, b); err != nil {
			return fmt.Errorf("n%d->n%d (%s, peer %s): %w", a, b, four(m.end(a, b).flags), four(m.end(b, a).flags), err)
		}
		cells += int(m.end(a, b).n)
	}
	for node := range m.bags {
		if err := m.legalBag(sim.NodeID(node)); err != nil && !m.queues { // whose order TestQueuesAgainstLists knows
			return fmt.Errorf("datagrams to n%d: %w", node, err)
		}
		cells += len(m.bags[node])
	}
	free := 0
	for c := m.free; c != noCell; c = m.cells[c].next {
		free++
	}
	if cells != m.inFlight || cells+free != len(m.cells) {
		return fmt.Errorf("%d messages are queued, %d counted; %d cells are free of %d", cells, m.inFlight, free, len(m.cells))
	}
	due := 0
	for i := range m.ends {
		if m.ends[i].flags&unread != 0 {
			due++
		}
	}
	if due != m.due {
		return fmt.Errorf("%d errors are due, %d counted", due, m.due)
	}
	return nil
}

// four returns the four variables as in the package comment.
func four(f flags) string {
	digits := []byte("0000")
	for i := range digits {
		digits[i] += byte(f >> i & 1)
	}
	return string(digits)
}

func (m *model) legalEnd(a, b sim.NodeID) error {
	e, other := m.end(a, b), m.end(b, a)
	f, g := e.flags&fourVariables, other.flags&fourVariables
	legal := false
	for _, p := range legalPairs {
		legal = legal || p == [2]flags{f, g} || p == [2]flags{g, f}
	}
	up := m.host.Up(a)
	switch {
	case !legal || a == b && f != 0:
		return errors.New("the four variables have an illegal combination")
	case !up && e.flags&^localErr != 0:
		return errors.New("a node that is down remembers a connection")
	case !up && e.n != 0:
		return errors.New("a node that is down has messages queued")
	case e.flags&unread != 0 && e.n != 0:
		return errors.New("messages are queued on a connection whose error is unread")
	case int(e.n) > m.buffer || e.n < 0:
		return fmt.Errorf("%d messages are queued, the buffer holds %d", e.n, m.buffer)
	}
	in := func(kind setKind) bool { return m.set(a, kind)[b/64]>>(b%64)&1 != 0 }
	for _, s := range []struct {
		kind setKind
		want bool
	}{
		{failing, e.flags&unread != 0},
		{ready, e.flags&wanted != 0 && int(e.n) < m.buffer},
		{deliverable, other.n > 0 && e.flags&unread == 0 && !m.partition.severs(a, b)},
		{established, f == open},
	} {
		if in(s.kind) != s.want {
			return fmt.Errorf("set %d says %v", s.kind, !s.want)
		}
	}
	return nil
}

func (m *model) legalBag(node sim.NodeID) error {
	bag := m.bags[node]
	for i, d := range bag {
		if i == 0 {
			if d.same {
				return errors.New("the first is marked as a copy")
			}
			continue
		}
		c := m.host.CompareMessages(&m.cells[bag[i-1].cell].msg, &m.cells[d.cell].msg)
		if c == 0 {
			c = int(bag[i-1].from - d.from)
		}
		if c > 0 || d.same != (c == 0) {
			return fmt.Errorf("%d is out of order or wrongly marked", i)
		}
	}
	return nil
}
