package transport

import "github.com/macemc/macemc/sim"

// Carrier transports messages of a service to the same service on other nodes, in order and once while the connection
// lasts. When it fails, both ends are notified, and messages in flight in either direction are lost. It uses the
// streams of the network, or a [Transport] over its datagrams plus what that lacks for such connections. The zero value
// uses streams.
//
// Incoming messages reach the service through the handlers of its node. Over streams these are its own: Receive,
// PeerError and PeerReady of package sim. Over a transport they belong to the transport, which calls the service:
// Deliver, Failed and ClearToSend of [Application].
type Carrier struct {
	over *sessions
}

// Over returns a carrier with its own transport, for the application up.
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

// Check makes sure that the service is eventually notified of a restart of the peer. Streams need nothing
// for that. A transport detects a restart when it sends: Check makes it send, and must be called
// repeatedly.
func (c Carrier) Check(env sim.Env, peer sim.NodeID) {
	if c.over != nil {
		defer sim.Enter(env, sessionService, "Check", peer).Leave()
		c.over.check(env, peer)
	}
}

// Sender sends messages to one peer, within one handler.
type Sender interface {
	// Send sends a message, which must not change afterwards. It returns [sim.ErrFull] if the send buffer has no room;
	// the service is notified once it has.
	Send(msg any) error
}

// To returns the sender for a peer.
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

// Receive reports whether msg belongs to the transport. If so, it has handled the message.
func (c Carrier) Receive(env sim.Env, from sim.NodeID, msg any) bool {
	return c.over != nil && c.over.transport.Receive(env, from, msg)
}

// Timer reports whether the timer belongs to the transport. If so, it has handled the timer.
func (c Carrier) Timer(env sim.Env, timer any) bool {
	return c.over != nil && c.over.transport.Timer(env, timer)
}
