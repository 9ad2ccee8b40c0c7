package simtest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/sim"
)

// Sent is a message that a node has sent.
type Sent struct {
	To     sim.NodeID
	Msg    any  // a copy made when it was sent; [Closed] for a closed stream
	Stream bool // false for a datagram
}

// Closed is the Msg of a [Sent] for a stream that the node has closed.
type Closed struct{}

// Datagram returns the datagram msg to a node.
func Datagram(to sim.NodeID, msg any) Sent { return Sent{To: to, Msg: msg} }

// OnStream returns the message msg on the stream to a node.
func OnStream(to sim.NodeID, msg any) Sent { return Sent{To: to, Msg: msg, Stream: true} }

// Sent returns the messages that the node has sent since the last call of Sent or WantSent, in order. It omits messages
// that a stream refused.
func (h *Node[S]) Sent() []Sent {
	s := h.sent
	h.sent = nil
	return s
}

// WantSent reports a test error, and continues, unless the node has sent exactly these messages, in this order, since
// the last call of Sent or WantSent. Messages are equal if their states are: nil and empty slices are equal unless the
// system's rules distinguish them.
func (h *Node[S]) WantSent(want ...Sent) {
	h.t.Helper()
	got := h.Sent()
	if slices.EqualFunc(got, want, h.equal) {
		return
	}
	h.t.Errorf("n%d sent\n%swant\n%s", h.id, h.list(got), h.list(want))
}

func (h *Node[S]) equal(a, b Sent) bool {
	return a.To == b.To && a.Stream == b.Stream && string(h.encode(a.Msg)) == string(h.encode(b.Msg))
}

func (h *Node[S]) encode(msg any) []byte {
	h.t.Helper()
	p, err := h.plans.Of(msg)
	if err != nil {
		h.t.Fatalf("message: %v", err)
	}
	return p.Append(fmt.Appendf(nil, "%T:", msg), msg)
}

func (h *Node[S]) list(all []Sent) string {
	if len(all) == 0 {
		return "\tnothing\n"
	}
	var b strings.Builder
	for _, s := range all {
		way := "datagram"
		if s.Stream {
			way = "stream"
		}
		fmt.Fprintf(&b, "\t%s to n%d: %s\n", way, s.To, h.run.Text(s.Msg))
	}
	return b.String()
}
