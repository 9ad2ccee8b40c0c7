package transport

import (
	"slices"

	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/sim"
)

const (
	initialThreshold = 4
	// maxWindow keeps the number of packets in flight small.
	maxWindow = 8
	// fastRetransmit is the number of duplicate acknowledgements that indicate a loss.
	fastRetransmit = 3
	// stride is the number of sequence numbers of a connection. Connections of a node share none.
	stride = 1000
)

// outgoing is a connection at its sender. When closed it is zero, except for wanted.
type outgoing struct {
	open    bool
	syn     macetime.MonotoneTime
	initial int // first sequence number
	base    int // all packets below are acknowledged

	// packets holds the packets from base on. Of the first sent ones, flying are in flight, and the others wait in the
	// retransmit buffer. The rest waits in the send buffer.
	packets      []packet
	sent, flying int

	window, threshold int // of packets in flight, at least 1
	credit            int // packets acknowledged since the last growth of the window, above the threshold
	duplicates        int // acknowledgements of base-1 in a row, up to fastRetransmit
	backoff           int
	since             macetime.Time // when the first packet became the oldest in flight

	wanted bool // the application has requested a clear-to-send call-back
}

type packet struct {
	Fragment
	body    any
	flying  bool
	retries int // if these are limited
}

// start opens the connection. The first packet carries SYN and travels alone: until it is acknowledged
// the window is 1.
func (o *outgoing) start(env sim.Env) {
	syn := env.Clock().Tick()
	initial := int(syn.Count)*stride + 1
	*o = outgoing{
		open: true, syn: syn, initial: initial, base: initial,
		window: 1, threshold: initialThreshold, wanted: o.wanted,
	}
}

// spent reports whether the connection may have too few sequence numbers left for a message. It ends once all is
// acknowledged, and the next message opens another, which replaces it at the peer.
func (o *outgoing) spent() bool {
	return o.open && o.base+len(o.packets)+MaxPackets > o.initial+stride
}

func (t *Transport) room(o *outgoing) bool {
	return len(o.packets)-o.sent < t.config.Buffer && (len(o.packets) == 0 || !o.spent())
}

// idle reports whether everything sent to a peer is acknowledged.
func (t *Transport) idle(to sim.NodeID) bool { return len(t.peers[to].out.packets) == 0 }

// offer arms the clear-to-send timer if the application waits for it and there is room.
func (t *Transport) offer(env sim.Env, to sim.NodeID) {
	if o := &t.peers[to].out; o.wanted && t.room(o) {
		env.SetTimer(clearToSend{to}, clearToSendDelay)
	}
}

// pump sends what the congestion window allows. The retransmit buffer comes first, because its numbers are
// lower.
func (t *Transport) pump(env sim.Env, to sim.NodeID) {
	o := &t.peers[to].out
	for i := 0; i < len(o.packets) && o.flying < o.window; i++ {
		if !o.packets[i].flying {
			t.transmit(env, to, i)
		}
	}
	t.offer(env, to)
}

// transmit puts packets[i] in flight, or sends it again.
func (t *Transport) transmit(env sim.Env, to sim.NodeID, i int) {
	o := &t.peers[to].out
	p := &o.packets[i]
	if !p.flying {
		p.flying = true
		o.flying++
	}
	if i == o.sent {
		o.sent++
		if i == 0 {
			o.since = env.Clock().Now()
		}
	}
	m := Data{Seq: o.base + i, Fragment: p.Fragment, Body: p.body}
	if m.Seq == o.initial {
		m.SYN = o.syn
	}
	env.Send(to, m)
	env.SetTimer(retransmit{to, m.Seq}, baseTimeout<<o.backoff)
}

// timedOut handles the retransmission timer: the packet is considered lost.
func (t *Transport) timedOut(env sim.Env, r retransmit) {
	o := &t.peers[r.Peer].out
	if !o.open {
		return // nothing to send again
	}
	p := &o.packets[r.Seq-o.base]
	if t.hopeless(env, o, p) {
		t.closeOutgoing(env, r.Peer)
		t.closeIncoming(r.Peer, ErrTimeout)
		t.up.Failed(env, r.Peer, ErrTimeout)
		return
	}
	p.flying = false
	o.flying--
	if t.config.Retries > 0 {
		p.retries++
	}
	o.threshold, o.window, o.credit = max(o.window/2, 1), 1, 0
	o.backoff = min(o.backoff+1, maxBackoff)
	t.pump(env, r.Peer)
}

// hopeless reports whether p was sent too often, or the oldest packet in flight is too old. In random walks it is never
// too old, because that would heal every violation of liveness.
func (t *Transport) hopeless(env sim.Env, o *outgoing, p *packet) bool {
	if t.config.Retries > 0 && p.retries >= t.config.Retries {
		return true
	}
	c := env.Clock()
	return c.Before(o.since.Add(maxAge), c.Now(), 1, 0)
}

// acknowledged handles an Ack.
func (t *Transport) acknowledged(env sim.Env, from sim.NodeID, m Ack) {
	o := &t.peers[from].out
	if !o.open || m.SYN != o.syn {
		return
	}
	if t.bugs.has(mt6) && m.Seq > o.highest() {
		return
	}
	switch n := min(m.Seq-o.base+1, o.sent); {
	case n > 0:
		t.progress(env, from, n)
	case n == 0 && o.sent > 0 && o.duplicates < fastRetransmit:
		if o.duplicates++; o.duplicates == fastRetransmit {
			o.threshold = max(o.window/2, 1)
			o.window, o.credit = o.threshold, 0
			t.transmit(env, from, 0)
		}
	}
}

// highest returns the number of the highest packet in flight.
func (o *outgoing) highest() int {
	i := o.sent - 1
	for i >= 0 && !o.packets[i].flying {
		i--
	}
	return o.base + i
}

// progress drops the first n packets, which are acknowledged.
func (t *Transport) progress(env sim.Env, to sim.NodeID, n int) {
	o := &t.peers[to].out
	for i := range n {
		if o.packets[i].flying {
			o.flying--
			env.StopTimer(retransmit{to, o.base + i})
		}
	}
	o.packets = slices.Delete(o.packets, 0, n)
	o.base += n
	o.sent -= n
	o.grow(n)
	o.duplicates, o.backoff = 0, 0
	o.since = macetime.Time{}
	if o.sent > 0 {
		o.since = env.Clock().Now()
	}
	t.pump(env, to)
}

// grow widens the window: by one for each packet acknowledged in slow start, which ends at the
// threshold, then by one for each window.
func (o *outgoing) grow(n int) {
	for range n {
		if o.window >= o.threshold {
			if o.credit++; o.credit < o.window {
				continue
			}
			o.credit = 0
		}
		o.window = min(o.window+1, maxWindow)
	}
}

// refused handles a Reset: the peer does not know this connection. It implies nothing about the connection from the
// peer.
func (t *Transport) refused(env sim.Env, from sim.NodeID, m Reset) {
	o := &t.peers[from].out
	if !o.open || m.Seq < o.base || m.Seq >= o.base+o.sent || m.SYN.Count != 0 && m.SYN != o.syn {
		return // it concerns a connection that ended, or a packet that has arrived in another copy
	}
	t.closeOutgoing(env, from)
	if t.bugs.has(mt7) {
		t.closeIncoming(from, ErrReset)
	}
	t.up.Failed(env, from, ErrReset)
}

// closeOutgoing resets the connection to a peer.
func (t *Transport) closeOutgoing(env sim.Env, to sim.NodeID) {
	o := &t.peers[to].out
	for i := range o.sent {
		if o.packets[i].flying && !t.bugs.has(mt2) {
			env.StopTimer(retransmit{to, o.base + i})
		}
	}
	if o.wanted && !t.bugs.has(mt10) {
		env.StopTimer(clearToSend{to})
	}
	*o = outgoing{}
}
