package oracle

import "slices"

// state is a state of a whole system.
type state struct {
	nodes    []node
	bags     [][]datagram // by receiver; in queues the oldest is first, of each sender if only that matters
	yet      [][]parcel   // by sender, its outgoing messages to queues
	ends     [][]end      // ends[a][b] is a's end of its connection with b
	monitors []int        // state of each
	left     Limits
	cut      cut
}

// cut is the current partition.
type cut struct {
	active     bool
	node, peer int // peer -1: all links of node
}

type node struct {
	up, halted bool
	phase, reg int
	timers     []timer // by value
	done       [Actions]int
	synced     [2]int // by key; absent for none
	pending    []write
	ticks      int
	clock      clock
	never      uint // set of quorums that take nothing more
}

const absent = -1

type timer struct{ what, left int }

type write struct{ key, value int } // absent for a delete

type datagram struct{ from, value int }

type parcel struct{ to, value int }

type end struct {
	queue                         []int
	local, remote, open, notReady bool
	wanted                        bool
}

func (s *state) clone() *state {
	c := *s
	c.nodes = slices.Clone(s.nodes)
	for i := range c.nodes {
		c.nodes[i].timers = slices.Clone(c.nodes[i].timers)
		c.nodes[i].pending = slices.Clone(c.nodes[i].pending)
	}
	c.bags, c.yet, c.ends = clones(s.bags), clones(s.yet), clones(s.ends)
	for i := range c.ends {
		for k := range c.ends[i] {
			c.ends[i][k].queue = slices.Clone(c.ends[i][k].queue)
		}
	}
	c.monitors = slices.Clone(s.monitors)
	return &c
}

func clones[T any](lists [][]T) [][]T {
	c := slices.Clone(lists)
	for i := range c {
		c[i] = slices.Clone(c[i])
	}
	return c
}

// up returns the number of nodes that are up.
func (s *state) up() (n int) {
	for i := range s.nodes {
		if s.nodes[i].up {
			n++
		}
	}
	return n
}

// code encodes a state, so that states are equal if their codes are.
type code []byte

func (c *code) num(values ...int) {
	for _, v := range values {
		*c = append(*c, byte(v), byte(v>>8))
	}
}

func (c *code) flag(values ...bool) {
	for _, v := range values {
		if v {
			*c = append(*c, 1)
		} else {
			*c = append(*c, 0)
		}
	}
}

func (m *model) encode(s *state) string {
	c := make(code, 0, 128)
	for i := range s.nodes {
		m.encodeNode(&c, &s.nodes[i])
	}
	for _, bag := range s.bags {
		if m.defect == mergeOrders {
			bag = slices.SortedFunc(slices.Values(bag), inBag)
		}
		c.num(len(bag))
		for _, d := range bag {
			c.num(d.from, d.value)
		}
	}
	for _, list := range s.yet {
		c.num(len(list))
		for _, p := range list {
			c.num(p.to, p.value)
		}
	}
	for _, row := range s.ends {
		for _, e := range row {
			c.num(len(e.queue))
			c.num(e.queue...)
			c.flag(e.local, e.remote, e.open, e.notReady, e.wanted)
		}
	}
	if m.defect != forgetMonitors {
		c.num(s.monitors...)
	}
	if m.defect != forgetLimits {
		c.num(s.left.Crashes, s.left.Halts, s.left.Loss, s.left.Dup, s.left.Errors, s.left.Partitions)
	}
	c.flag(s.cut.active)
	c.num(s.cut.node, s.cut.peer)
	return string(c)
}

func (m *model) encodeNode(c *code, n *node) {
	c.flag(n.up, n.halted)
	c.num(n.phase, n.reg, n.ticks, len(n.timers))
	for _, t := range n.timers {
		c.num(t.what)
		if m.defect != forgetDeadlines {
			c.num(t.left)
		}
	}
	if m.defect != forgetCounters {
		for i, times := range n.done {
			if m.script.Actions[i].Times > 0 {
				c.num(times)
			}
		}
	}
	if m.defect == mergeUnsynced {
		disk := n.synced
		for _, w := range n.pending {
			disk[w.key] = w.value
		}
		c.num(disk[0], disk[1])
	} else {
		c.num(n.synced[0], n.synced[1], len(n.pending))
		for _, w := range n.pending {
			c.num(w.key, w.value)
		}
	}
	if m.defect != forgetNever {
		c.num(int(n.never))
	}
	n.clock.encode(c)
}
