package table

import (
	"math/bits"
	"slices"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/sim"
)

// effectOp is what a step does to something other than its node's node configuration and the global part.
type effectOp struct {
	peer  uint32 // behind it the kind of operation, and the pair whose connection it is about; of a datagram the peer alone
	index uint32
}

// Kinds of operations.
const (
	opDatagram = iota // index: the number of a datagram to the peer
	opStream          // index: see connCode
	opAnnounce        // index: an event
	opSlow            // none: index is the number of the uncached transition to take if a monitor or a queue refuses
)

// Bits of effectOp.peer: those of the peer, then of the kind.
const (
	opPeer = 8
	opPair = opPeer + 2
)

func (o effectOp) node() uint32 { return o.peer & (1<<opPeer - 1) }
func (o effectOp) kind() uint32 { return o.peer >> opPeer & (1<<(opPair-opPeer) - 1) }
func (o effectOp) pair() int    { return int(o.peer >> opPair) }

// draft is a packed vector by what it changes of another one.
type draft struct {
	from    []uint32
	changes []uint64 // as of [explore.Edges]; the first ones are those of others
	first   int
}

func (d *draft) at(word int) uint32 {
	for _, change := range d.changes[d.first:] {
		if int(change>>32) == word {
			return uint32(change)
		}
	}
	return d.from[word]
}

func (d *draft) set(word int, value uint32) {
	for k := d.first; k < len(d.changes); k++ {
		if int(d.changes[k]>>32) == word {
			if d.changes[k] = uint64(word)<<32 | uint64(value); value == d.from[word] {
				d.changes = slices.Delete(d.changes, k, k+1)
			}
			return
		}
	}
	if value != d.from[word] {
		d.changes = append(d.changes, uint64(word)<<32|uint64(value))
	}
}

// is reports whether the vector is another one.
func (d *draft) is(v []uint32) bool {
	n := 0
	for word, value := range v {
		if value != d.from[word] {
			if n++; d.at(word) != value {
				return false
			}
		}
	}
	return n == len(d.changes)-d.first
}

// operate makes the operations of a step of a node happen. It reports whether all monitors took what was announced, and all queues what
// was sent.
func (s *nodeConfigs) operate(d *draft, node int, ops []effectOp) bool {
	for _, o := range ops {
		peer := o.node()
		switch o.kind() {
		case opDatagram:
			next := s.once(peer, d.at(int(peer)), o.index)
			if next == noSite {
				return false
			}
			d.set(int(peer), next)
		case opStream:
			word := s.conns + o.pair()
			old := d.at(word)
			op, _, _, _ := coded(o.index)
			if op == opCrash && old <= emptySelf {
				continue
			}
			up := op != opCrash // a node is up while it does anything else to a connection with itself
			if int(peer) != node {
				up = s.tables[peer].up[d.from[peer]]
			}
			d.set(word, s.e.conns.apply(old, o.index, up))
		case opAnnounce:
			for word := s.monitors; word < s.global; word++ {
				next, err := s.e.observe(d.at(word), sim.NodeID(node), o.index)
				if err != nil {
					return false
				}
				d.set(word, next)
			}
		}
	}
	return true
}

// connection returns the pair of two nodes, and which end of their connection is that of node.
func (s *nodeConfigs) connection(node, peer int) (pair, side int) {
	if node <= peer {
		return s.e.layout.pair(sim.NodeID(node), sim.NodeID(peer)), 0
	}
	return s.e.layout.pair(sim.NodeID(peer), sim.NodeID(node)), 1
}

// stream is an operation on the connection of a node to a peer.
func (s *nodeConfigs) stream(node, peer int, op connOp, msg uint32) effectOp {
	pair, side := s.connection(node, peer)
	return effectOp{uint32(pair<<opPair | opStream<<opPeer | peer), connCode(op, side, msg)}
}

// ofStream reports whether an event hands something over that a connection holds.
func (s *nodeConfigs) ofStream(ev *sim.Event) bool {
	return s.e.layout.pairCount > 0 && ev.Slot == s.e.conns.slot &&
		(ev.Kind == sim.Deliver || ev.Kind == sim.DeliverError || ev.Kind == sim.DeliverReady)
}

// streamEvent is an event by which a connection hands something over to a node; the zero value: there is none.
type streamEvent struct {
	kind sim.EventKind
	peer uint8
}

var noStream = streamEvent{}

// eventOf is the number of an event of a stream, see [engine.eventID].
func (s *nodeConfigs) eventOf(v []uint32, node int, h streamEvent) uint32 {
	peer := int(h.peer)
	if h.kind == sim.DeliverReady {
		return s.e.eventID(readyEvent, sim.NodeID(peer), 0)
	}
	pair, side := s.connection(node, peer)
	conn := v[s.conns+pair]
	if h.kind == sim.Deliver {
		if first := s.e.conns.lines.at(conn).first[side]; first > 0 {
			return s.e.eventID(deliverEvent, sim.NodeID(peer), first-1)
		}
	}
	_, class, msg := s.received(v, node, h)
	return s.e.eventID(class, sim.NodeID(peer), msg)
}

// received returns what a connection becomes once it has handed over what an event is about, see [engine.received].
func (s *nodeConfigs) received(v []uint32, node int, h streamEvent) (next uint32, class int, msg uint32) {
	peer := int(h.peer)
	pair, side := s.connection(node, peer)
	return s.e.received(v[s.conns+pair], h.kind, side, node == peer || s.tables[peer].up[v[peer]])
}

// listStreams lists the transitions of a node that is up by what its connections hold for it.
func (g *graph) listStreams(node int) {
	s, w := g.sites, g.w
	for k, set := range [...]uint64{w.failing[node], w.ready[node], w.deliverable[node]} {
		for ; set != 0; set &= set - 1 {
			h := streamEvent{streamKinds[k], uint8(bits.TrailingZeros64(set))}
			g.list(s.spanOfStream(w, g.worldVector, node, h), node, h)
		}
	}
}

var streamKinds = [...]sim.EventKind{sim.DeliverError, sim.DeliverReady, sim.Deliver}

// spanOfStream returns the transitions of a node by an event of a stream.
func (s *nodeConfigs) spanOfStream(w *World, v []uint32, node int, h streamEvent) span {
	p, frame := &s.tables[node], int(v[s.global])
	for frame >= len(p.told) {
		p.told = append(p.told, memoOf[span]{})
	}
	key := uint64(v[node])<<32 | uint64(s.eventOf(v, node, h))
	if sp, ok := p.told[frame].get(key); ok {
		return sp
	}
	ev := sim.Event{Kind: h.kind, Node: sim.NodeID(node), Peer: sim.NodeID(h.peer), Slot: w.conns.slot}
	if h.kind == sim.Deliver {
		ev.Msgs = 1
	}
	sp := s.populateStream(w, v, ev)
	p.told[frame].put(key, sp)
	return sp
}

// answered returns the transitions by the answer to a question about room, in the state that is expanded once a connection has handed over what
// it holds.
func (g *graph) answered(number uint32, node int, h streamEvent) span {
	s := g.sites
	room := &s.rooms[number]
	left := s.capacity
	if !room.fresh {
		pair, side := s.connection(node, int(room.peer))
		conn := g.worldVector[s.conns+pair]
		if h != noStream && sim.NodeID(h.peer) == room.peer {
			conn, _, _ = s.received(g.worldVector, node, h)
		}
		left -= s.e.conns.queued(conn, side)
	}
	if branch := room.branch(left); branch < len(room.spans) {
		if known := room.spans[branch]; known.end > 0 {
			return known
		}
	}
	return s.populateAnswer(g.w, g.worldVector, number)
}

// takeBreaks takes the transitions by which connections break.
func (g *graph) takeBreaks(e *explore.Edges, fr uint32) {
	s, w := g.sites, g.w
	for node, set := range w.established {
		for ; set != 0; set &= set - 1 {
			peer := bits.TrailingZeros64(set)
			broke := s.globals[fr].broke - 1
			if s.globals[fr].broke == 0 {
				broke = s.populateBreak(w, g.worldVector, sim.Event{Kind: sim.Break, Node: sim.NodeID(node), Peer: sim.NodeID(peer), Slot: w.conns.slot})
			}
			d := draft{g.worldVector, e.Changes, len(e.Changes)}
			s.operate(&d, node, []effectOp{s.stream(node, peer, opBreak, 0)})
			d.set(s.global, broke)
			e.Changes = d.changes
			e.End(g.fingerprint.Add(g.shift(&d)), uint8(node))
			e.Names[len(e.Names)-1] = s.breakOf(node, peer)
		}
	}
}

// streamOps are what a connection is asked to do in an event.
var streamOps = map[sim.EventKind]connOp{sim.Deliver: opTake, sim.DeliverReady: opReady, sim.DeliverError: opError}
