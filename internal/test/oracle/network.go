package oracle

import "slices"

// The rules in the documentation of package netsim, in order.

func (s *state) severed(a, b int) bool {
	c := s.cut
	switch {
	case !c.active || a == b:
		return false
	case c.peer < 0:
		return a == c.node || b == c.node
	}
	return a == c.node && b == c.peer || a == c.peer && b == c.node
}

func (m *model) sendDatagram(s *state, from, to, value int) {
	if !s.nodes[to].up && m.defect != keepForDown || s.severed(from, to) && m.defect != leakCut {
		return
	}
	s.add(to, datagram{from, value})
}

// inBag orders bags, so that equal datagrams are adjacent.
func inBag(a, b datagram) int {
	if a.value != b.value {
		return a.value - b.value
	}
	return a.from - b.from
}

func (s *state) add(to int, d datagram) {
	i, _ := slices.BinarySearchFunc(s.bags[to], d, inBag)
	s.bags[to] = slices.Insert(s.bags[to], i, d)
}

func (s *state) remove(to int, d datagram) {
	i := slices.Index(s.bags[to], d)
	s.bags[to] = slices.Delete(s.bags[to], i, i+1)
}

// unread reports whether the node has yet to receive an error of its connection.
func (e *end) unread() bool { return e.remote || e.notReady }

func (m *model) sendStream(s *state, from, to, value int) {
	e := &s.ends[from][to]
	switch {
	case !s.nodes[to].up:
		e.queue = nil
		if !e.unread() {
			e.notReady = true
		}
	case e.unread():
	default:
		e.queue = append(e.queue, value)
	}
}

// giveUp closes a node's end of a connection, or crashes it.
func (m *model) giveUp(s *state, node, peer int) {
	e, other := &s.ends[node][peer], &s.ends[peer][node]
	e.queue, e.notReady = nil, false
	if !e.open {
		return
	}
	e.open = false
	if e.remote {
		e.remote, other.local = false, false
		return
	}
	e.local, other.remote = true, true
	if m.defect != keepPeerQueue {
		other.queue = nil
	}
}

func (m *model) crashNetwork(s *state, node int) {
	for peer := range s.ends[node] {
		m.giveUp(s, node, peer)
		s.ends[node][peer].wanted = false
	}
}

func (s *state) breakConnection(a, b int) {
	for _, e := range []*end{&s.ends[a][b], &s.ends[b][a]} {
		e.queue, e.local, e.remote = nil, true, true
	}
}

// takeError delivers an error to a node: 1 for a refused connection, 0 for a reset.
func (s *state) takeError(node, peer int) int {
	e, other := &s.ends[node][peer], &s.ends[peer][node]
	if e.notReady {
		e.notReady = false
		return 1
	}
	other.local, e.remote, e.open = false, false, false
	return 0
}

func (s *state) takeStream(node, peer int) int {
	in := &s.ends[peer][node]
	value := in.queue[0]
	in.queue = in.queue[1:]
	if node != peer {
		in.open, s.ends[node][peer].open = true, true
	}
	return value
}

// deliverable reports whether the next message in the stream from peer can be delivered to the node.
func (m *model) deliverable(s *state, node, peer int) bool {
	return len(s.ends[peer][node].queue) > 0 && (!s.ends[node][peer].unread() || m.defect == overtakeErrors) && !s.severed(node, peer)
}

// quiet reports whether no message or error can be delivered, and no node can take an internal step.
func (m *model) quiet(s *state) bool {
	for i := range s.nodes {
		if !s.nodes[i].up {
			continue
		}
		if len(s.bags[i])+len(s.yet[i]) > 0 || m.steps(s, i) && m.defect != ignoreSteps {
			return false
		}
		for peer := range s.ends[i] {
			if s.ends[i][peer].unread() || m.deliverable(s, i, peer) {
				return false
			}
		}
	}
	return true
}

func (s *state) inFlight() int {
	n := 0
	for _, bag := range s.bags {
		n += len(bag)
	}
	for _, list := range s.yet {
		n += len(list)
	}
	for _, row := range s.ends {
		for _, e := range row {
			n += len(e.queue)
		}
	}
	return n
}
