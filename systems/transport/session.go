package transport

import (
	"slices"

	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/sim"
)

// sessions is a service between a [Transport] and its application that makes one connection, which fails
// as a whole and for both sides, of the transport's two independent ones. Without it what a peer sent
// before it restarted can arrive after its restart was noticed.
//
// A session is a pair of identifiers, one of each side, from the sides' monotone counters. A side that
// finds out a failure by itself, or restarts, never uses its identifier again; one that the other's new
// identifier tells of it keeps its own, since the pair is new. Messages carry both, and count only at a
// receiver that has the same two: so what was sent in a session that either side has given up is dropped.
// Before anything else is sent the two sides tell each other their identifiers. A side that is told a newer
// one than it knows, knows that the session has failed.
type sessions struct {
	transport Transport
	up        Application
	peers     []session
}

// session is what one side knows of the connection with a peer.
type session struct {
	own    macetime.MonotoneTime // zero until it is needed
	theirs macetime.MonotoneTime // the latest that the peer has told; zero: none
	open   bool                  // the peer knows own

	pending []any // messages to be sent when the session is open and there is room
	owed    bool  // there was no room to tell own
	wanted  bool  // a message was refused
}

// Framed is a message of a session: From is the sender's identifier, To the receiver's as far as the
// sender knows it. Without a Body it only tells that.
type Framed struct {
	From, To macetime.MonotoneTime
	Body     any
}

// Packets implements [Sized].
func (m Framed) Packets() int {
	if s, ok := m.Body.(Sized); ok {
		return s.Packets()
	}
	return 1
}

// sessionService is how traces name it.
const sessionService = "session"

func (l *sessions) boot(env sim.Env) {
	l.peers = make([]session, env.Nodes())
	l.transport.Boot(env)
}

func (l *sessions) send(env sim.Env, to sim.NodeID, msg any) error {
	s := &l.peers[to]
	if !s.open {
		l.check(env, to)
	}
	if len(s.pending) >= l.transport.config.Buffer {
		s.wanted = true
		return sim.ErrFull
	}
	s.pending = append(s.pending, msg)
	if s.open {
		l.flush(env, to)
	}
	return nil
}

// check tells the peer this side's identifier, also again, unless something is on its way to it. A peer
// that has restarted or failed since answers, or the transport finds out.
func (l *sessions) check(env sim.Env, to sim.NodeID) {
	if l.transport.idle(to) {
		l.tell(env, to)
	}
}

// tell tells the peer this side's identifier.
func (l *sessions) tell(env sim.Env, to sim.NodeID) {
	s := &l.peers[to]
	if s.own.Count == 0 {
		s.own = env.Clock().Tick()
	}
	if s.owed = l.transport.Send(env, to, Framed{From: s.own, To: s.theirs}) != nil; s.owed {
		l.transport.RequestClearToSend(env, to)
	}
}

// flush sends what is pending while there is room.
func (l *sessions) flush(env sim.Env, to sim.NodeID) {
	s := &l.peers[to]
	for len(s.pending) > 0 {
		if l.transport.Send(env, to, Framed{s.own, s.theirs, s.pending[0]}) != nil {
			break
		}
		s.pending = slices.Delete(s.pending, 0, 1)
	}
	if len(s.pending) > 0 || s.wanted {
		l.transport.RequestClearToSend(env, to)
	}
}

// Deliver implements [Application].
func (l *sessions) Deliver(env sim.Env, from sim.NodeID, msg any) {
	defer sim.Enter(env, sessionService, "Deliver", from, msg).Leave()
	m, _ := msg.(Framed)
	s := &l.peers[from]
	if m.From.Older(s.theirs) {
		return
	}
	if m.From != s.theirs {
		failed := s.open
		s.theirs, s.open = m.From, false
		if failed {
			s.pending, s.wanted = nil, false
			l.up.Failed(env, from, ErrReset)
		}
	}
	if m.To != s.own || s.own.Count == 0 {
		l.tell(env, from) // the peer does not know of this session, or has not heard that another failed
		return
	}
	if !s.open {
		s.open = true
		l.tell(env, from)
		l.flush(env, from)
	}
	if m.Body != nil {
		l.up.Deliver(env, from, m.Body)
	}
}

// Failed implements [Application].
func (l *sessions) Failed(env sim.Env, peer sim.NodeID, err error) {
	defer sim.Enter(env, sessionService, "Failed", peer, err).Leave()
	l.peers[peer] = session{own: env.Clock().Tick(), theirs: l.peers[peer].theirs}
	l.up.Failed(env, peer, err)
}

// ClearToSend implements [Application].
func (l *sessions) ClearToSend(env sim.Env, peer sim.NodeID) {
	defer sim.Enter(env, sessionService, "ClearToSend", peer).Leave()
	s := &l.peers[peer]
	if s.owed {
		l.tell(env, peer)
	}
	if s.open {
		l.flush(env, peer)
		if len(s.pending) == 0 && s.wanted {
			s.wanted = false
			l.up.ClearToSend(env, peer)
		}
	}
}
