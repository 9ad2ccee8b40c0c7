package store

import (
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// netGlobalsTable interns the globals of the network: remaining fault limits, and the partition. Number 0 is the
// initial one.
type netGlobalsTable struct {
	e    *Tables
	List []netGlobals
	ids  map[netmodel.Rest]uint32
	ops  Memo
}

type netGlobals struct {
	State   netmodel.Rest
	Global  []netmodel.Event // ordinary events without a node
	Faults  []netmodel.Event // faults without another part
	Severed []uint64         // by node: set of cut links
	Hash    encoding.Fingerprint
}

func (r *netGlobalsTable) init(e *Tables) {
	r.e, r.ids = e, map[netmodel.Rest]uint32{}
	if e.Net == nil {
		r.List = append(r.List, netGlobals{Severed: make([]uint64, e.Nodes)})
		return
	}
	e.Net.Reset()
	r.intern(e.Net.Rest())
}

func (r *netGlobalsTable) intern(state netmodel.Rest) uint32 {
	if id, ok := r.ids[state]; ok {
		return id
	}
	id := uint32(len(r.List))
	net := r.e.Net
	net.Reset()
	net.SetRest(state)
	n := netGlobals{State: state, Global: net.AppendGlobal(nil), Faults: net.AppendInjections(nil), Hash: net.Fingerprint()}
	for a := range r.e.Nodes {
		set := uint64(0)
		for b := range r.e.Nodes {
			if net.Severed(sim.NodeID(a), sim.NodeID(b)) {
				set |= 1 << b
			}
		}
		n.Severed = append(n.Severed, set)
	}
	r.ids[state] = id
	r.List = append(r.List, n)
	return id
}

// After returns the globals after a fault, or after the end of a partition. Part puts the affected part into the
// network model.
func (r *netGlobalsTable) After(id uint32, ev netmodel.Event, part func(netmodel.Parted)) uint32 {
	key := uint64(id)<<32 | uint64(ev.Kind)<<16
	if ev.Kind == eventkind.Partition {
		key |= uint64(ev.Node)<<8 | uint64(ev.Peer+1)
	}
	if next, ok := r.ops.Get(key); ok {
		return uint32(next)
	}
	net := r.e.Net
	net.Reset()
	net.SetRest(r.List[id].State)
	part(net)
	net.Inject(ev)
	next := r.intern(net.Rest())
	r.ops.Put(key, uint64(next))
	return next
}

// FailNode makes a node of the network model fail.
func (e *Tables) FailNode(node sim.NodeID, how uint32) {
	e.Bench.SetUp(node, false)
	if how == ByHalt {
		e.Net.Halted(node)
	} else {
		e.Net.Crashed(node)
	}
}
