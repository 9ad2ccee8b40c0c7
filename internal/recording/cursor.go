package recording

import "github.com/macemc/macemc/sim"

// cursor is a node's position in its recordings.
type cursor struct {
	node   sim.NodeID
	starts []*Recording
	start  int // index of the current start, or of the next one while the node is down
	pos    int // index of its next event
	sent   []uint64
	clock  []int
	dead   bool // its next event cannot happen, or it has stopped for good
}

// next returns the node's next event, or nil after the last one.
func (c *cursor) next() *Event {
	for i, pos := c.start, c.pos; i < len(c.starts); i, pos = i+1, 0 {
		if pos < len(c.starts[i].Events) {
			return &c.starts[i].Events[pos]
		}
	}
	return nil
}

// nextStart returns the next start with a recorded event, or len(c.starts).
func (c *cursor) nextStart() int {
	i := c.start + 1
	for i < len(c.starts) && len(c.starts[i].Events) == 0 {
		i++
	}
	return i
}

// lostWrites returns the number of last writes of the current start that the next one did not find.
func (c *cursor) lostWrites() int {
	r, next := c.starts[c.start], c.nextStart()
	if len(r.Events) == 0 || next >= len(c.starts) {
		return 0
	}
	had, has := r.Events[len(r.Events)-1].Writes, c.starts[next].Events[0].Found.Writes
	return int(min(had-min(had, has), 1<<30))
}

// atEnd reports whether the current start has no more recorded events.
func (c *cursor) atEnd() bool { return c.pos == len(c.starts[c.start].Events) }

// nodeStart identifies a start of a node.
type nodeStart struct {
	node  sim.NodeID
	start int
}
