package properties

import (
	"github.com/macemc/macemc/internal/simhook"
	"github.com/macemc/macemc/sim"
)

// ReadBy returns the nodes that a property reads in the current state, ascending. Of a predicate that is lifted to all nodes that is the
// first node where it does not hold. Nodes from 64 on are left out.
func (c *State) ReadBy(p *sim.Property) (nodes []int) {
	world, reads := c.Shown.World, c.Shown.Reads
	c.Shown.World, c.Shown.Reads = blaming{world, len(c.Shown.Services)}, simhook.Reads{}
	defer func() {
		_ = recover() // a property that panics has read what it has read
		all := c.Shown.Reads.All()
		c.Shown.World, c.Shown.Reads = world, reads
		for id := range min(len(c.Shown.Services), 64) {
			if all>>id&1 != 0 {
				nodes = append(nodes, id)
			}
		}
	}()
	c.question(p).holds(&c.view)
	return nil
}

// blaming is a world that notes of predicates where they do not hold.
type blaming struct {
	simhook.World[sim.Service, sim.NodeID, sim.Envelope]
	nodes int
}

func (b blaming) Each(v *View, p *Predicate) bool {
	for id := range sim.NodeID(b.nodes) {
		if !p.HoldsAt(v, id) {
			v.Reads.Read(int(id))
			return false
		}
	}
	for id := range b.nodes {
		v.Reads.Read(id)
	}
	return true
}
