package transport

import "github.com/macemc/macemc/sim"

// Carrier takes messages of a service to the same service on other nodes, in order and once as long as
// the connection lasts; when it fails, both ends are told, and what was on the way in either direction is
// lost. It uses the streams of the network, or a [Transport] over its datagrams and what that lacks for
// such connections. The zero value uses streams.
//
// What comes back reaches the service by the handlers of its node. Over streams these are its own:
// Receive, PeerError and PeerReady of package sim. Over a transport they belong to that, which calls the
// service up: Deliver, Failed and ClearToSend of [Application].
type Carrier struct {
	over *sessions
}

// Over returns a carrier by a transport of its own, whose application is up.
func Over(up Application, c Config) Carrier {
	s := &sessions{up: up}
	s.transport = New(s, c)
	return Carrier{s}
}

// Boot must be called when the node starts, before anything else.
func (c Carrier) Boot(env sim.Env) {
	if c.over != nil {
		c.over.boot(env)
	}
}

// Check makes sure that the service is told some time when the peer restarts. Streams need nothing for
// that. A transport finds out when it sends something: so does Check, and has to be called again and
// again.
func (c Carrier) Check(env sim.Env, peer sim.NodeID) {
	if c.over != nil {
		defer sim.Enter(env, sessionService, "Check", peer).Leave()
		c.over.check(env, peer)
	}
}

// Sender sends messages to one peer, within one handler.
type Sender interface {
	// Send sends a message, which counts as a value from then on. It returns [sim.ErrFull] when there is
	// no room; the service is told once when there is.
	Send(msg any) error
}

// To returns what sends to a peer.
func (c Carrier) To(env sim.Env, peer sim.NodeID) Sender {
	if c.over == nil {
		return env.Stream(peer)
	}
	return &sender{c.over, env, peer}
}

type sender struct {
	over *sessions
	env  sim.Env
	peer sim.NodeID
}

func (s *sender) Send(msg any) error {
	defer sim.Enter(s.env, sessionService, "Send", s.peer, msg).Leave()
	return s.over.send(s.env, s.peer, msg)
}

// Receive reports whether msg is not one of the service but of the transport, which has handled it then.
func (c Carrier) Receive(env sim.Env, from sim.NodeID, msg any) bool {
	return c.over != nil && c.over.transport.Receive(env, from, msg)
}

// Timer reports whether the timer is one of the transport, which has handled it then.
func (c Carrier) Timer(env sim.Env, timer any) bool {
	return c.over != nil && c.over.transport.Timer(env, timer)
}
