package recording

import "github.com/macemc/macemc/sim"

// cursor is a node's place in its recordings.
type cursor struct {
	node   sim.NodeID
	starts []*Recording
	start  int // the current start, or the next one when the node is down
	pos    int // the next event of it
	sent   []uint64
	clock  []int
	dead   bool // its next event cannot happen, or it is gone for good
}

// next is the node's next event, nil when its recordings are used up.
func (c *cursor) next() *Event {
	for i, pos := c.start, c.pos; i < len(c.starts); i, pos = i+1, 0 {
		if pos < len(c.starts[i].Events) {
			return &c.starts[i].Events[pos]
		}
	}
	return nil
}

// nextStart is the next start of which anything is recorded; len(c.starts): there is none.
func (c *cursor) nextStart() int {
	i := c.start + 1
	for i < len(c.starts) && len(c.starts[i].Events) == 0 {
		i++
	}
	return i
}

// lost is how many of the last writes of the current start were not there at the next one.
func (c *cursor) lost() int {
	r, next := c.starts[c.start], c.nextStart()
	if len(r.Events) == 0 || next >= len(c.starts) {
		return 0
	}
	had, has := r.Events[len(r.Events)-1].Writes, c.starts[next].Events[0].Found.Writes
	return int(min(had-min(had, has), 1<<30))
}

// atEnd reports whether the recording of the current start is used up.
func (c *cursor) atEnd() bool { return c.pos == len(c.starts[c.start].Events) }

// place is a start of a node.
type place struct {
	node  sim.NodeID
	start int
}
