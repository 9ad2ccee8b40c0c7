package cluster

import (
	"encoding/binary"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/superstep"
)

const (
	sampled   = 1000 // one in so many states is also expanded by another worker, and the first one of each part in each superstep
	sampleTag = 16   // size in bytes of a sampled state: its number and its witness
)

// sample sends expanded states to another member for comparison.
func (d *data) sample(self sim.NodeID, c *superstep.Commit) {
	to := self
	for k := 1; k < members && to == self; k++ {
		if id := (int(self)-1+k)%members + 1; c.Incs[id-1] != 0 {
			to = sim.NodeID(id)
		}
	}
	if to == self || d.end != nil {
		return
	}
	pack := d.shard.NewPack()
	d.witnesses = d.witnesses[:0]
	flush := func() {
		if n, _ := pack.Len(); n > 0 {
			d.send(to, append(append(pack.Take(), d.witnesses...), batchOfSample))
			d.witnesses = d.witnesses[:0]
		}
	}
	for i := range parts {
		if !d.shard.Has(i) {
			continue
		}
		next, _ := d.shard.Next(i)
		for n := c.Next[i]; n < next; n = (n/sampled + 1) * sampled {
			state, from := d.shard.State(i, n)
			pack.Add(state, from)
			d.witnesses = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(d.witnesses, uint64(n)), d.shard.Witness(state))
			if _, bytes := pack.Len(); bytes+len(d.witnesses) > packBytes {
				flush()
			}
		}
	}
	flush()
}

// compare expands states that another member has expanded.
func (d *data) compare(from sim.NodeID, content []byte) error {
	n, _ := binary.Uvarint(content)
	if n > uint64(len(content)/sampleTag) {
		return errGarbage
	}
	witnesses := content[len(content)-int(n)*sampleTag:]
	states, _, err := d.shard.Unpack(content[:len(content)-len(witnesses)], d.stateOf)
	if err != nil {
		return err
	}
	for words := d.shard.Words(); len(witnesses) > 0; witnesses, states = witnesses[sampleTag:], states[words:] {
		number, theirs := binary.LittleEndian.Uint64(witnesses), binary.LittleEndian.Uint64(witnesses[8:])
		own := d.shard.Witness(states[:words])
		d.moved.compared++
		if own != theirs {
			at := explore.Source{Part: uint32(d.shard.Of(states[:words])), Number: uint32(number)}
			d.differs(at, from, own, theirs)
			return nil
		}
	}
	return nil
}

// differs ends the search because another member has other successors of a state.
func (d *data) differs(at explore.Source, other sim.NodeID, own, theirs uint64) {
	d.end = &Why{Kind: "differs", Worker: d.m.self, Source: &at, AtEdge: true, Other: other, Witness: own, Theirs: theirs}
}
