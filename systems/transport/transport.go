package transport

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/macemc/macemc/sim"
)

// Application is the service above a [Transport]. The calls are made within the handlers of the node;
// they may send.
type Application interface {
	// Deliver hands over a message, in the order in which its sender sent them.
	Deliver(env sim.Env, from sim.NodeID, msg any)
	// Failed reports that the connection to a peer was closed with [ErrTimeout] or [ErrReset]. It is unknown
	// which of the unacknowledged messages have arrived. A pending request for a clear-to-send call-back is
	// void.
	Failed(env sim.Env, peer sim.NodeID, err error)
	// ClearToSend answers a request: the send buffer had room.
	ClearToSend(env sim.Env, peer sim.NodeID)
}

// Sized is implemented by messages that do not fit into one packet. Packets is 1 to [MaxPackets] and
// never changes.
type Sized interface{ Packets() int }

// MaxPackets is the maximum number of packets of a message.
const MaxPackets = 64

// Errors of connections.
var (
	ErrTimeout = errors.New("the peer does not acknowledge")
	ErrReset   = errors.New("the peer does not know the connection")
)

// Config holds the limits of a transport, which must not be negative.
type Config struct {
	// Buffer is the maximum number of packets that wait for the congestion window, beyond which messages are refused; 0
	// means 16.
	Buffer int
	// Retries is the number of times that a packet is resent before its connection is closed. 0 means no limit but the
	// age of the packet.
	Retries int
}

// service is the name of the transport in traces.
const service = "transport"

const (
	defaultBuffer = 16
	// maxAge is the maximum time that a connection waits for an acknowledgement.
	maxAge = 30 * time.Second
	// The retransmission time-out doubles up to maxBackoff times until something is acknowledged.
	baseTimeout = 500 * time.Millisecond
	maxBackoff  = 3
	// clearToSendDelay keeps call-backs out of the handlers that make room.
	clearToSendDelay = time.Millisecond
)

// Transport is a service for other services. It belongs to one service, which calls Boot, Receive and Timer from its
// own handlers.
type Transport struct {
	up     Application
	config Config
	bugs   bugs
	peers  []peer // by node
	// wasted counts buffered packets that were dropped for another reason than a SYN or a time-out.
	wasted int
}

// peer holds the two connections with a peer: one in each direction.
type peer struct {
	out outgoing
	in  incoming
}

// New returns a transport for the application up.
func New(up Application, c Config) Transport {
	if c.Buffer < 0 || c.Retries < 0 {
		panic(fmt.Sprintf("transport: %+v has a negative limit", c))
	}
	c.Buffer = cmp.Or(c.Buffer, defaultBuffer)
	return Transport{up: up, config: c}
}

// Boot must be called when the node starts, before anything else.
func (t *Transport) Boot(env sim.Env) {
	defer sim.Enter(env, service, "Boot").Leave()
	t.peers = make([]peer, env.Nodes())
}

// Send sends a message, which must not change afterwards. It returns [sim.ErrFull] if the send buffer has no room; see
// RequestClearToSend.
func (t *Transport) Send(env sim.Env, to sim.NodeID, msg any) error {
	defer sim.Enter(env, service, "Send", to, msg).Leave()
	count := 1
	if s, ok := msg.(Sized); ok {
		if count = s.Packets(); count < 1 || count > MaxPackets {
			panic(fmt.Sprintf("transport: a %T takes %d packets, must be 1 to %d", msg, count, MaxPackets))
		}
	}
	out := &t.peers[to].out
	if !t.room(out) {
		return sim.ErrFull
	}
	if !out.open || out.spent() {
		out.start(env)
	}
	for i := range count {
		p := packet{Fragment: Fragment{i, count}}
		if i == 0 {
			p.body = msg
		}
		out.packets = append(out.packets, p)
	}
	t.pump(env, to)
	return nil
}

// RequestClearToSend requests one call of ClearToSend as soon as there is room. Repeated requests before that have no
// effect.
func (t *Transport) RequestClearToSend(env sim.Env, to sim.NodeID) {
	defer sim.Enter(env, service, "RequestClearToSend", to).Leave()
	t.peers[to].out.wanted = true
	t.offer(env, to)
}

// Receive reports whether msg is a packet of the transport. If so, it has handled the packet.
func (t *Transport) Receive(env sim.Env, from sim.NodeID, msg any) bool {
	switch msg.(type) {
	case Data, Ack, Reset:
		defer sim.Enter(env, service, "Receive", from, msg).Leave()
	}
	switch m := msg.(type) {
	case Data:
		t.data(env, from, &m)
	case Ack:
		t.acknowledged(env, from, m)
	case Reset:
		t.refused(env, from, m)
	default:
		return false
	}
	return true
}

// Timer reports whether the timer belongs to the transport. If so, it has handled the timer.
func (t *Transport) Timer(env sim.Env, timer any) bool {
	switch timer.(type) {
	case retransmit, clearToSend:
		defer sim.Enter(env, service, "Timer", timer).Leave()
	}
	switch x := timer.(type) {
	case retransmit:
		t.timedOut(env, x)
	case clearToSend:
		t.peers[x.Peer].out.wanted = false
		t.up.ClearToSend(env, x.Peer)
	default:
		return false
	}
	return true
}
