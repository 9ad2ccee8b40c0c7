package host

import "github.com/macemc/macemc/sim"

// Pusher is implemented by an [sim.Env] whose node can send without waiting for room. That of the checker is one, and so is that of a live node.
type Pusher interface {
	// Push is Send of the stream to a node, for a sender that goes on as if there always was room. Where there is none it fails as Send does, unless the
	// network overflows.
	Push(to sim.NodeID, msg any) error
}

// Overflowing is implemented by networks with streams that may take more of what is pushed than their buffers hold. To all else they are what they
// were: Send fails without room, and there is none as long as too much is queued.
type Overflowing interface {
	sim.Network
	Overflows() bool
	// Overflow is the network that does so.
	Overflow() sim.Network
}

// Overflows reports whether a network takes all that is pushed.
func Overflows(n sim.Network) bool {
	o, ok := n.(Overflowing)
	return ok && o.Overflows()
}

// Overflow is a system whose network does so, if that can.
func Overflow(sys sim.System) sim.System {
	if o, ok := sys.Network.(Overflowing); ok {
		sys.Network = o.Overflow()
	}
	return sys
}
