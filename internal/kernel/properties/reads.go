package properties

import (
	"github.com/macemc/macemc/internal/simhook"
	"github.com/macemc/macemc/sim"
)

// ReadBy returns the nodes that a property reads in the current state, ascending. A predicate that is lifted to all
// nodes reads the first node where it does not hold. Nodes from 64 on are left out.
func (c *State) ReadBy(p *sim.Property) []int {
	nodes, _ := c.observe(p, false)
	return nodes
}

// FailsAt returns the nodes at which predicates that a property lifts to all nodes by sim.Each do not hold, ascending. The
// property must not hold in the current state. Nodes from 64 on are left out. An empty result means that the property
// has no such predicate.
func (c *State) FailsAt(p *sim.Property) []int {
	_, nodes := c.observe(p, true)
	return nodes
}

// observe evaluates a property. It returns the nodes that it reads and, on request, those where its predicates fail.
func (c *State) observe(p *sim.Property, all bool) (read, failing []int) {
	world, reads := c.Shown.World, c.Shown.Reads
	b := &blaming{World: world, nodes: len(c.Shown.Services), all: all}
	c.Shown.World, c.Shown.Reads = b, simhook.Reads{}
	defer func() {
		_ = recover() // a property that panics has read what it has read
		read, failing = b.list(c.Shown.Reads.All()), b.list(b.failing)
		c.Shown.World, c.Shown.Reads = world, reads
	}()
	c.question(p).holds(&c.view)
	return nil, nil
}

// blaming is a world that records the nodes at which predicates do not hold.
type blaming struct {
	simhook.World[sim.Service, sim.NodeID, sim.Envelope]
	nodes   int
	all     bool   // evaluates each predicate at all nodes
	failing uint64 // bit i: a predicate of sim.Each does not hold at node i
}

func (b *blaming) list(bits uint64) (nodes []int) {
	for id := range min(b.nodes, 64) {
		if bits>>id&1 != 0 {
			nodes = append(nodes, id)
		}
	}
	return nodes
}

func (b *blaming) Each(v *View, p *Predicate) bool {
	holds := true
	for id := 0; id < b.nodes && (holds || b.all); id++ {
		if p.HoldsAt(v, sim.NodeID(id)) {
			continue
		}
		if holds {
			v.Reads.Read(id)
		}
		if holds = false; !p.Negated && id < 64 {
			b.failing |= 1 << id
		}
	}
	for id := 0; id < b.nodes && holds; id++ {
		v.Reads.Read(id)
	}
	return holds
}
