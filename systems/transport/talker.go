package transport

import (
	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/sim"
)

// Talker is the service of a checked node: an application that sends numbered messages to all other nodes, and resends
// them after a failure of the connection.
type Talker struct {
	transport Transport
	self      sim.NodeID
	talks     []talk // by peer
	messages  int    // for each peer
	packets   int    // of each message

	disorder disorder // the first one observed
	unasked  int      // call-backs without a request
}

// Numbered is a message of a [Talker].
type Numbered struct {
	Session macetime.MonotoneTime // new after a failed connection
	Number  int                   // from 1 in each session
	Size    int                   // in packets
}

// Packets implements [Sized].
func (m Numbered) Packets() int { return m.Size }

// talk is a talker's state for a peer.
type talk struct {
	session macetime.MonotoneTime // of the messages to the peer
	sent    int                   // in the session
	waiting bool                  // for ClearToSend

	heard macetime.MonotoneTime // session of the peer's last message
	last  int                   // its number
}

// disorder is a message received out of order.
type disorder struct {
	got  Numbered
	want int // number; 0 means no disorder
}

// application is the name of the talker in traces.
const application = "talker"

// Boot implements [sim.Service].
func (n *Talker) Boot(env sim.Env) {
	n.self = env.Self()
	n.talks = make([]talk, env.Nodes())
	n.transport.Boot(env)
}

// Receive implements [sim.Service].
func (n *Talker) Receive(env sim.Env, from sim.NodeID, msg any) { n.transport.Receive(env, from, msg) }

// Timer implements [sim.Service].
func (n *Talker) Timer(env sim.Env, t any) { n.transport.Timer(env, t) }

// CanSend reports whether Send has an effect.
func (n *Talker) CanSend() bool {
	for peer := range n.talks {
		if n.canSend(sim.NodeID(peer)) {
			return true
		}
	}
	return false
}

func (n *Talker) canSend(peer sim.NodeID) bool {
	t := &n.talks[peer]
	return peer != n.self && t.sent < n.messages && !t.waiting
}

// Send sends the next message to each peer.
func (n *Talker) Send(env sim.Env) {
	for peer := range sim.NodeID(len(n.talks)) {
		if !n.canSend(peer) {
			continue
		}
		t := &n.talks[peer]
		if t.sent == 0 {
			t.session = env.Clock().Tick()
		}
		if n.transport.Send(env, peer, Numbered{t.session, t.sent + 1, n.packets}) != nil {
			t.waiting = true
			n.transport.RequestClearToSend(env, peer)
			continue
		}
		t.sent++
	}
}

// ClearToSend implements [Application].
func (n *Talker) ClearToSend(env sim.Env, peer sim.NodeID) {
	defer sim.Enter(env, application, "ClearToSend", peer).Leave()
	if !n.talks[peer].waiting {
		n.unasked++
	}
	n.talks[peer].waiting = false
}

// Failed implements [Application].
func (n *Talker) Failed(env sim.Env, peer sim.NodeID, err error) {
	defer sim.Enter(env, application, "Failed", peer, err).Leave()
	t := &n.talks[peer]
	t.session, t.sent, t.waiting = macetime.MonotoneTime{}, 0, false
}

// Deliver implements [Application].
func (n *Talker) Deliver(env sim.Env, from sim.NodeID, msg any) {
	defer sim.Enter(env, application, "Deliver", from, msg).Leave()
	m, _ := msg.(Numbered) // an incomplete message is not a Numbered
	t := &n.talks[from]
	next := 1
	if m.Session == t.heard {
		next = t.last + 1
	}
	if (m.Session.Older(t.heard) || m.Number != next) && n.disorder.want == 0 {
		n.disorder = disorder{m, next}
	}
	t.heard, t.last = m.Session, m.Number
}
