package simext

import "github.com/macemc/macemc/sim"

// Pusher is implemented by an [sim.Env] with a node that can send without waiting for room. The Envs of the checker and
// of live nodes implement it.
type Pusher interface {
	// Push sends on the stream to a node, for a sender that continues as if there always was room. Without room it
	// fails as Send does, unless the network behaves as between live nodes.
	Push(to sim.NodeID, msg any) error
}

// LiveNetwork is implemented by networks that can behave as between live nodes, beyond the model: streams that queue
// pushed messages beyond their buffers, and socket errors that strike attempts to connect. Otherwise such streams are
// unchanged: Send fails without room, and there is none while too much is queued. Recorded runs of live nodes are
// executed in this way.
type LiveNetwork interface {
	sim.Network
	IsLive() bool
	// AsLive returns the network with that behavior.
	AsLive() sim.Network
}

// Attempt is the content of the key of a socket error that strikes an attempt to connect.
const Attempt = "attempt"

// IsLive reports whether a network behaves as between live nodes.
func IsLive(n sim.Network) bool {
	l, ok := n.(LiveNetwork)
	return ok && l.IsLive()
}

// AsLive returns the system with a network that does so, if it can.
func AsLive(sys sim.System) sim.System {
	if l, ok := sys.Network.(LiveNetwork); ok {
		sys.Network = l.AsLive()
	}
	return sys
}
