package simext

import "github.com/macemc/macemc/sim"

// Pusher is implemented by an [sim.Env] whose node can send without waiting for room. That of the checker is one, and so is that of a live node.
type Pusher interface {
	// Push is Send of the stream to a node, for a sender that goes on as if there always was room. Where there is none it fails as Send does, unless the
	// network is one as live nodes have it.
	Push(to sim.NodeID, msg any) error
}

// LiveNetwork is implemented by networks that can do what is between live nodes and not in the model: streams that take more of what is pushed than their
// buffers hold, and socket errors that strike attempts to connect. To all else such streams are what they were: Send fails without room, and there is none
// as long as too much is queued. Runs that were recorded of live nodes are executed so.
type LiveNetwork interface {
	sim.Network
	IsLive() bool
	// AsLive is the network that does so.
	AsLive() sim.Network
}

// Attempt is the content of the key of a socket error that strikes an attempt to connect.
const Attempt = "attempt"

// IsLive reports whether a network does what is between live nodes.
func IsLive(n sim.Network) bool {
	l, ok := n.(LiveNetwork)
	return ok && l.IsLive()
}

// AsLive is a system whose network does so, if it can.
func AsLive(sys sim.System) sim.System {
	if l, ok := sys.Network.(LiveNetwork); ok {
		sys.Network = l.AsLive()
	}
	return sys
}
