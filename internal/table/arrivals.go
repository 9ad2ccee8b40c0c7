package table

import "github.com/macemc/macemc/sim"

// arrival is what a datagram that is sent makes of a node configuration: the next one, plus one, and how the first word of the fingerprint changes.
// The zero value: it is not known.
type arrival struct {
	delta uint64
	next  uint32
}

type datagram struct {
	from sim.NodeID
	msg  uint32
}

const (
	minWidth = 4
	maxWidth = 64
)

// datagramTo numbers a datagram to a node.
func (s *nodeConfigs) datagramTo(node, from sim.NodeID, msg uint32) uint32 {
	p := &s.tables[node]
	key := uint64(from)<<32 | uint64(msg)
	if n, ok := p.sent.get(key); ok {
		return uint32(n)
	}
	n := uint32(len(p.all))
	p.sent.put(key, uint64(n))
	p.all = append(p.all, datagram{from, msg})
	if n >= p.width && p.width < maxWidth {
		wide := make([]arrival, 2*len(p.after), 4*len(p.after))
		for i := range p.list {
			copy(wide[uint32(2*i)*p.width:], p.after[uint32(i)*p.width:][:p.width])
		}
		p.after, p.width = wide, 2*p.width
	}
	return n
}

// arrival is what is known of a datagram that is sent to a node configuration; nil: nothing.
func (p *nodeTable) arrival(at, index uint32) *arrival {
	if index < p.width {
		if a := &p.after[at*p.width+index]; a.next != 0 {
			return a
		}
	}
	return nil
}

// once returns the node configuration of a node once a datagram was sent to it over a link that is not cut; noSite: it is refused.
func (s *nodeConfigs) once(node, at, index uint32) uint32 {
	if a := s.tables[node].arrival(at, index); a != nil {
		return a.next - 1
	}
	return s.populateArrival(node, at, index).next - 1
}

// populateArrival finds out what a datagram that is sent to a node over a link that is not cut makes of its node configuration. It is valid until the
// next call.
func (s *nodeConfigs) populateArrival(node, at, index uint32) *arrival {
	p := &s.tables[node]
	if n, ok := p.far.get(uint64(at)<<32 | uint64(index)); ok {
		return &p.farther[n]
	}
	next := at
	if here := p.list[at]; s.e.up(here.local) {
		d := p.all[index]
		bag := s.e.inboxes.sent(here.inbox, d.from, d.msg)
		if bag == overrun {
			return &arrival{} // noSite, less one
		}
		next = s.config(int(node), here.local, bag)
	}
	made := arrival{p.shares[next].Sub(p.shares[at]).Lo, next + 1}
	if index < p.width {
		p.after[at*p.width+index] = made
		return &p.after[at*p.width+index]
	}
	p.far.put(uint64(at)<<32|uint64(index), uint64(len(p.farther)))
	p.farther = append(p.farther, made)
	return &p.farther[len(p.farther)-1]
}
