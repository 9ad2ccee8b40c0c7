package table

import (
	"github.com/macemc/macemc/sim"
)

// netGlobalsTable interns what the network holds once: fault limits that remain, and the partition. Number 0 is
// that of the first state.
type netGlobalsTable struct {
	e    *tables
	list []netGlobals
	ids  map[sim.NetRest]uint32
	ops  memo
}

type netGlobals struct {
	state   sim.NetRest
	global  []sim.Event // ordinary events of no node
	faults  []sim.Event // injections that concern no other part
	severed []uint64    // by node: which links are cut
	hash    sim.Fingerprint
}

func (r *netGlobalsTable) init(e *tables) {
	r.e, r.ids = e, map[sim.NetRest]uint32{}
	if e.net == nil {
		r.list = append(r.list, netGlobals{severed: make([]uint64, e.nodes)})
		return
	}
	e.net.Reset()
	r.intern(e.net.Rest())
}

func (r *netGlobalsTable) intern(state sim.NetRest) uint32 {
	if id, ok := r.ids[state]; ok {
		return id
	}
	id := uint32(len(r.list))
	net := r.e.net
	net.Reset()
	net.SetRest(state)
	n := netGlobals{state: state, global: net.AppendGlobal(nil), faults: net.AppendInjections(nil), hash: net.Fingerprint()}
	for a := range r.e.nodes {
		set := uint64(0)
		for b := range r.e.nodes {
			if net.Severed(sim.NodeID(a), sim.NodeID(b)) {
				set |= 1 << b
			}
		}
		n.severed = append(n.severed, set)
	}
	r.ids[state] = id
	r.list = append(r.list, n)
	return id
}

// after returns what is left after an injection, or after a partition has healed. Part puts into the
// network model what else the event is about.
func (r *netGlobalsTable) after(id uint32, ev sim.Event, part func(sim.Parted)) uint32 {
	key := uint64(id)<<32 | uint64(ev.Kind)<<16
	if ev.Kind == sim.Partition {
		key |= uint64(ev.Node)<<8 | uint64(ev.Peer+1)
	}
	if next, ok := r.ops.get(key); ok {
		return uint32(next)
	}
	net := r.e.net
	net.Reset()
	net.SetRest(r.list[id].state)
	part(net)
	net.Inject(ev)
	next := r.intern(net.Rest())
	r.ops.put(key, uint64(next))
	return next
}

// fail has a node of the network model fall.
func (e *tables) fail(node sim.NodeID, how uint32) {
	e.bench.SetUp(node, false)
	if how == forEver {
		e.net.Halted(node)
	} else {
		e.net.Crashed(node)
	}
}
