package statespace

import (
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/sim"
)

// arrival is the effect of a sent datagram on a node configuration: the next one plus one, and the change of the
// first word of the fingerprint. The zero value means unknown.
type arrival struct {
	delta uint64
	next  uint32
}

type Datagram struct {
	From sim.NodeID
	Msg  uint32
}

const (
	minWidth = 4
	maxWidth = 64
)

// DatagramTo returns the number of a datagram to a node.
func (s *NodeConfigs) DatagramTo(node, from sim.NodeID, msg uint32) uint32 {
	p := &s.Tables[node]
	key := uint64(from)<<32 | uint64(msg)
	if n, ok := p.sent.Get(key); ok {
		return uint32(n)
	}
	n := uint32(len(p.All))
	p.sent.Put(key, uint64(n))
	p.All = append(p.All, Datagram{from, msg})
	if n >= p.width && p.width < maxWidth {
		wide := make([]arrival, 2*len(p.after), 4*len(p.after))
		for i := range p.List {
			copy(wide[uint32(2*i)*p.width:], p.after[uint32(i)*p.width:][:p.width])
		}
		p.after, p.width = wide, 2*p.width
	}
	return n
}

// arrival returns the cached arrival of a datagram at a node configuration, or nil.
func (p *nodeTable) arrival(at, index uint32) *arrival {
	if index < p.width {
		if a := &p.after[at*p.width+index]; a.next != 0 {
			return a
		}
	}
	return nil
}

// Once returns the node configuration of a node after a datagram was sent to it over a link that is not cut, or
// noConfig if the inbox refuses it.
func (s *NodeConfigs) Once(node, at, index uint32) uint32 {
	if a := s.Tables[node].arrival(at, index); a != nil {
		return a.next - 1
	}
	return s.populateArrival(node, at, index).next - 1
}

// populateArrival computes the arrival of a datagram that is sent over a link that is not cut. The result is valid
// until the next call.
func (s *NodeConfigs) populateArrival(node, at, index uint32) *arrival {
	p := &s.Tables[node]
	if n, ok := p.far.Get(uint64(at)<<32 | uint64(index)); ok {
		return &p.farther[n]
	}
	next := at
	if here := p.List[at]; s.Engine.IsUp(here.Local) {
		d := p.All[index]
		inbox := s.Engine.Inboxes.AfterSend(here.Inbox, d.From, d.Msg)
		if inbox == store.Overrun {
			return &arrival{} // noConfig minus one
		}
		next = s.Config(int(node), here.Local, inbox)
	}
	made := arrival{p.shares[next].Sub(p.shares[at]).Lo, next + 1}
	if index < p.width {
		p.after[at*p.width+index] = made
		return &p.after[at*p.width+index]
	}
	p.far.Put(uint64(at)<<32|uint64(index), uint64(len(p.farther)))
	p.farther = append(p.farther, made)
	return &p.farther[len(p.farther)-1]
}
