package table

import (
	"math/bits"

	"github.com/macemc/macemc/explore"
	"github.com/macemc/macemc/sim"
)

const connOpBits = 3

// apply makes the operations of a step of a node happen in a packed vector, and notes in touched which words may have
// changed. It reports whether all monitors took what was announced, and all queues what
// was sent.
func (s *sites) apply(v []uint32, node int, ops []moveOp) bool {
	for _, o := range ops {
		peer := o.peer & (1<<opKind - 1)
		switch o.peer >> opKind {
		case opDatagram:
			next := s.once(peer, v[peer], o.index)
			if next == noSite {
				return false
			}
			v[peer] = next
			s.touched = append(s.touched, int(peer))
		case opStream:
			op := connOp(o.index & (1<<connOpBits - 1))
			word, side := s.connection(node, int(peer))
			if op == opCrash && v[word] == s.e.conns.empty(sim.NodeID(min(node, int(peer))), sim.NodeID(max(node, int(peer)))) {
				continue
			}
			up := op != opCrash // a node is up while it does anything else to a connection with itself
			if int(peer) != node {
				up = s.places[peer].up[v[peer]]
			}
			v[word], _ = s.e.conns.apply(v[word], op, side, up, o.index>>connOpBits)
			s.touched = append(s.touched, word)
		case opAnnounce:
			for word := s.monitors; word < s.frame; word++ {
				next, err := s.e.observe(v[word], sim.NodeID(node), o.index)
				if err != nil {
					return false
				}
				v[word] = next
				s.touched = append(s.touched, word)
			}
		}
	}
	return true
}

// connection returns the word of the connection between two nodes in a packed vector, and which end is that of node.
func (s *sites) connection(node, peer int) (word, side int) {
	if node <= peer {
		return s.conns + s.e.layout.pair(sim.NodeID(node), sim.NodeID(peer)), 0
	}
	return s.conns + s.e.layout.pair(sim.NodeID(peer), sim.NodeID(node)), 1
}

// ofStream reports whether an event hands something over that a connection holds.
func (s *sites) ofStream(ev *sim.Event) bool {
	return s.e.layout.pairCount > 0 && ev.Slot == s.e.conns.slot &&
		(ev.Kind == sim.Deliver || ev.Kind == sim.DeliverError || ev.Kind == sim.DeliverReady)
}

// received returns what a connection in a packed vector becomes once it has handed over what an event of a stream is about,
// and the number of the event, see [engine.eventID].
func (s *sites) received(v []uint32, ev *sim.Event) (word int, next, event uint32) {
	word, side := s.connection(int(ev.Node), int(ev.Peer))
	up := ev.Node == ev.Peer || s.places[ev.Peer].up[v[ev.Peer]]
	next, class, msg := s.e.received(v[word], ev.Kind, side, up)
	return word, next, s.e.eventID(class, ev.Peer, msg)
}

// takeStreams takes the moves of a node that is up by what its connections hold for it.
func (g *graph) takeStreams(e *explore.Edges, node int) error {
	w := g.w
	for kind, set := range [...]uint64{w.failing[node], w.ready[node], w.deliverable[node]} {
		for ; set != 0; set &= set - 1 {
			ev := sim.Event{Kind: streamEvents[kind], Node: sim.NodeID(node), Peer: sim.NodeID(bits.TrailingZeros64(set)), Slot: w.conns.slot}
			if ev.Kind == sim.Deliver {
				ev.Msgs = 1
			}
			if err := g.takeStream(e, ev); err != nil {
				return err
			}
		}
	}
	return nil
}

var streamEvents = [...]sim.EventKind{sim.DeliverError, sim.DeliverReady, sim.Deliver}

func (g *graph) takeStream(e *explore.Edges, ev sim.Event) error {
	s, v := g.sites, g.here
	word, next, event := s.received(v, &ev)
	sp := s.spanOfStream(g.w, v, ev, event)
	g.taken, g.left = word, next
	err := g.take(e, int(ev.Node), sp)
	g.taken = -1
	return err
}

// spanOfStream returns the moves of a node by an event of a stream.
func (s *sites) spanOfStream(w *World, v []uint32, ev sim.Event, event uint32) span {
	key := uint64(v[s.frame])<<32 | uint64(event)
	occasion, ok := s.occasions.get(key)
	if !ok {
		occasion = uint64(s.occasions.n)
		s.occasions.put(key, occasion)
	}
	p := &s.places[ev.Node]
	key = uint64(v[ev.Node])<<32 | occasion
	if n, ok := p.told.get(key); ok {
		return s.spans[n]
	}
	sp := s.learnStream(w, v, ev)
	p.told.put(key, uint64(len(s.spans)))
	s.spans = append(s.spans, sp)
	return sp
}

// touch makes there the state in which the event under way was handed over.
func (g *graph) touch() {
	if g.taken >= 0 {
		g.there[g.taken] = g.left
		g.sites.touched = append(g.sites.touched, g.taken)
	}
}

// answered returns the moves by the answer to a question about room, in the state that is expanded.
func (g *graph) answered(node int, number uint32) span {
	s := g.sites
	room := &s.rooms[number]
	left := s.capacity
	if !room.fresh {
		word, side := s.connection(node, int(room.peer))
		conn := g.here[word]
		if word == g.taken {
			conn = g.left
		}
		left -= s.e.conns.queued(conn, side)
	}
	if branch := room.branch(left); branch < len(room.spans) {
		if sp := room.spans[branch]; sp.end > 0 {
			return sp
		}
	}
	return s.learnAnswer(g.w, g.here, number)
}

// takeBreaks takes the moves by which connections break.
func (g *graph) takeBreaks(e *explore.Edges, fr uint32) {
	s, w := g.sites, g.w
	g.prepare()
	for node, set := range w.established {
		for ; set != 0; set &= set - 1 {
			peer := bits.TrailingZeros64(set)
			broke := s.frames[fr].broke - 1
			if s.frames[fr].broke == 0 {
				broke = s.learnBreak(w, g.here, sim.Event{Kind: sim.Break, Node: sim.NodeID(node), Peer: sim.NodeID(peer), Slot: w.conns.slot})
			}
			s.apply(g.there, node, []moveOp{{uint32(opStream<<opKind | peer), uint32(opBreak)}})
			g.there[s.frame] = broke
			s.touched = append(s.touched, s.frame)
			g.arrive(e, g.fingerprint, uint8(node))
		}
	}
}
