package statespace

import (
	"math/bits"
	"slices"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/internal/table/world"
	"github.com/macemc/macemc/sim"
)

// EffectOp is the effect of a step on one thing other than the node configuration of its node and the global part.
type EffectOp struct {
	Peer  uint32 // in the upper bits the kind of operation, and the pair of the connection; of a datagram only the peer
	Index uint32
}

// Kinds of operations.
const (
	opDatagram = iota // index: number of a datagram to the peer
	opStream          // index: see connCode
	opAnnounce        // index: an announced event
	opSlow            // index: number of the uncached transition to take if a monitor or a queue refuses
)

// Shifts in EffectOp.Peer: the peer, then the kind.
const (
	opPeer = 8
	opPair = opPeer + 2
)

func (o EffectOp) Node() uint32 { return o.Peer & (1<<opPeer - 1) }

func (o EffectOp) kind() uint32 { return o.Peer >> opPeer & (1<<(opPair-opPeer) - 1) }

func (o EffectOp) pair() int { return int(o.Peer >> opPair) }

// draft is a packed vector, represented by its changes of another one.
type draft struct {
	from    []uint32
	changes []uint64 // as in [graph.Edges]; those below first belong to others
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

// is reports whether the draft equals a vector.
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

// operate executes the operations of a node's step. It reports whether no monitor and no queue refused.
func (s *NodeConfigs) operate(d *draft, node int, ops []EffectOp) bool {
	for _, o := range ops {
		peer := o.Node()
		switch o.kind() {
		case opDatagram:
			next := s.Once(peer, d.at(int(peer)), o.Index)
			if next == noConfig {
				return false
			}
			d.set(int(peer), next)
		case opStream:
			word := s.conns + o.pair()
			old := d.at(word)
			op, _, _, _ := store.Coded(o.Index)
			if op == store.OpCrash && old <= store.EmptySelf {
				continue
			}
			up := op != store.OpCrash // in every other operation on a connection with itself the node is up
			if int(peer) != node {
				up = s.Tables[peer].Up[d.from[peer]]
			}
			d.set(word, s.Engine.Conns.Apply(old, o.Index, up))
		case opAnnounce:
			for word := s.Monitors; word < s.Global; word++ {
				next, err := s.Engine.Observe(d.at(word), sim.NodeID(node), o.Index)
				if err != nil {
					return false
				}
				d.set(word, next)
			}
		}
	}
	return true
}

// connection returns the pair of two nodes, and the side of node in their connection.
func (s *NodeConfigs) connection(node, peer int) (pair, side int) {
	if node <= peer {
		return s.Engine.Layout.Pair(sim.NodeID(node), sim.NodeID(peer)), 0
	}
	return s.Engine.Layout.Pair(sim.NodeID(peer), sim.NodeID(node)), 1
}

// stream returns an operation on the connection of a node with a peer.
func (s *NodeConfigs) stream(node, peer int, op store.ConnOp, msg uint32) EffectOp {
	pair, side := s.connection(node, peer)
	return EffectOp{uint32(pair<<opPair | opStream<<opPeer | peer), store.ConnCode(op, side, msg)}
}

// ofStream reports whether an event delivers something from a connection.
func (s *NodeConfigs) ofStream(ev *netmodel.Event) bool {
	return s.Engine.Layout.PairCount > 0 && ev.Slot == s.Engine.Conns.Slot &&
		(ev.Kind == eventkind.Deliver || ev.Kind == eventkind.DeliverError || ev.Kind == eventkind.DeliverReady)
}

// streamEvent is an event that delivers something from a connection. The zero value means none.
type streamEvent struct {
	kind eventkind.Kind
	peer uint8
}

var noStream = streamEvent{}

// eventOf returns the number of a stream event, see [steptree.Engine.EventID].
func (s *NodeConfigs) eventOf(v []uint32, node int, h streamEvent) uint32 {
	peer := int(h.peer)
	if h.kind == eventkind.DeliverReady {
		return s.Engine.EventID(store.ReadyEvent, sim.NodeID(peer), 0)
	}
	pair, side := s.connection(node, peer)
	conn := v[s.conns+pair]
	if h.kind == eventkind.Deliver {
		if first := s.Engine.Conns.Lines.At(conn).First[side]; first > 0 {
			return s.Engine.EventID(store.DeliverEvent, sim.NodeID(peer), first-1)
		}
	}
	_, class, msg := s.received(v, node, h)
	return s.Engine.EventID(class, sim.NodeID(peer), msg)
}

// received returns the connection after a delivery, see [steptree.Engine.Received].
func (s *NodeConfigs) received(v []uint32, node int, h streamEvent) (next uint32, class int, msg uint32) {
	peer := int(h.peer)
	pair, side := s.connection(node, peer)
	return s.Engine.Received(v[s.conns+pair], h.kind, side, node == peer || s.Tables[peer].Up[v[peer]])
}

// listStreams lists the transitions of a node that is up by deliveries from its connections.
func (g *Graph) listStreams(node int) {
	s, w := g.Configs, g.World
	for k, set := range [...]uint64{w.Failing[node], w.Ready[node], w.Deliverable[node]} {
		for ; set != 0; set &= set - 1 {
			h := streamEvent{streamKinds[k], uint8(bits.TrailingZeros64(set))}
			g.list(s.spanOfStream(w, g.WorldVector, node, h), node, h)
		}
	}
}

var streamKinds = [...]eventkind.Kind{eventkind.DeliverError, eventkind.DeliverReady, eventkind.Deliver}

// spanOfStream returns the transitions of a node for a stream event.
func (s *NodeConfigs) spanOfStream(w *world.World, v []uint32, node int, h streamEvent) span {
	p, frame := &s.Tables[node], int(v[s.Global])
	for frame >= len(p.streamSpans) {
		p.streamSpans = append(p.streamSpans, store.MemoOf[span]{})
	}
	key := uint64(v[node])<<32 | uint64(s.eventOf(v, node, h))
	if sp, ok := p.streamSpans[frame].Get(key); ok {
		return sp
	}
	ev := netmodel.Event{Kind: h.kind, Node: sim.NodeID(node), Peer: sim.NodeID(h.peer), Slot: w.Conns.Slot}
	if h.kind == eventkind.Deliver {
		ev.Msgs = 1
	}
	sp := s.populateStream(w, v, ev)
	p.streamSpans[frame].Put(key, sp)
	return sp
}

// answered returns the transitions for the answer to a question about room, in the state under expansion after the
// connection's delivery.
func (g *Graph) answered(number uint32, node int, h streamEvent) span {
	s := g.Configs
	room := &s.rooms[number]
	left := s.capacity
	if !room.Fresh {
		pair, side := s.connection(node, int(room.Peer))
		conn := g.WorldVector[s.conns+pair]
		if h != noStream && sim.NodeID(h.peer) == room.Peer {
			conn, _, _ = s.received(g.WorldVector, node, h)
		}
		left -= s.Engine.Conns.Queued(conn, side)
	}
	if branch := room.Branch(left); branch < len(room.spans) {
		if known := room.spans[branch]; known.end > 0 {
			return known
		}
	}
	return s.populateAnswer(g.World, g.WorldVector, number)
}

// takeBreaks takes the transitions by which connections break.
func (g *Graph) takeBreaks(e *graph.Edges, fr uint32) {
	s, w := g.Configs, g.World
	for node, set := range w.Established {
		for ; set != 0; set &= set - 1 {
			peer := bits.TrailingZeros64(set)
			broke := s.Globals[fr].broke - 1
			if s.Globals[fr].broke == 0 {
				broke = s.populateBreak(w, g.WorldVector, netmodel.Event{Kind: eventkind.Break, Node: sim.NodeID(node), Peer: sim.NodeID(peer),
					Slot: w.Conns.Slot})
			}
			d := draft{g.WorldVector, e.Changes, len(e.Changes)}
			s.operate(&d, node, []EffectOp{s.stream(node, peer, store.OpBreak, 0)})
			d.set(s.Global, broke)
			e.Changes = d.changes
			e.End(g.fingerprint.Add(g.shift(&d)), uint8(node))
			e.Names[len(e.Names)-1] = s.breakOf(node, peer)
		}
	}
}

// streamOps maps an event to its operation on the connection.
var streamOps = map[eventkind.Kind]store.ConnOp{eventkind.Deliver: store.OpTake, eventkind.DeliverReady: store.OpReady,
	eventkind.DeliverError: store.OpError}
