package transport

import (
	"slices"

	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/sim"
)

// sessions is a service between a [Transport] and its application. It combines the two independent connections of the
// transport into one, which fails as a whole and for both sides. Without it messages sent before a restart of the peer
// can arrive after the restart was detected.
//
// A session is a pair of identifiers, one of each side, from the sides' monotone counters. A side that detects a
// failure itself, or restarts, never uses its identifier again. A side that learns of it by the other's new
// identifier keeps its own, since the pair is new. Messages carry both, and count only at a receiver with the same
// two: messages of a session that either side has abandoned are dropped. Before anything else is sent, the two sides
// exchange their identifiers. A side that receives a newer identifier than the last one infers that the session has
// failed.
type sessions struct {
	transport Transport
	up        Application
	peers     []session
}

// session is one side's state of the connection with a peer.
type session struct {
	own    macetime.MonotoneTime // zero until it is needed
	theirs macetime.MonotoneTime // the latest that the peer has sent; zero means none
	open   bool                  // the peer has received own

	pending []any // messages to be sent when the session is open and there is room
	owed    bool  // there was no room to send own
	wanted  bool  // a message was refused
}

// Framed is a message of a session: From is the sender's identifier, To the receiver's as last received by the sender.
// Without a Body it only conveys these.
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

// sessionService is its name in traces.
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

// check sends the peer this side's identifier, possibly again, unless something is in flight to it. A peer that has
// restarted or failed since answers, or the transport detects it.
func (l *sessions) check(env sim.Env, to sim.NodeID) {
	if l.transport.idle(to) {
		l.tell(env, to)
	}
}

// tell sends this side's identifier to the peer.
func (l *sessions) tell(env sim.Env, to sim.NodeID) {
	s := &l.peers[to]
	if s.own.Count == 0 {
		s.own = env.Clock().Tick()
	}
	if s.owed = l.transport.Send(env, to, Framed{From: s.own, To: s.theirs}) != nil; s.owed {
		l.transport.RequestClearToSend(env, to)
	}
}

// flush sends pending messages while there is room.
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
		l.tell(env, from) // the peer has not learned of this session, or of the failure of another
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
