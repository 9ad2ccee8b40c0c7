package sim

// NodeID identifies a node: 0 to Nodes-1. It is a distinct type so that the checker recognizes the nodes that a state
// contains.
type NodeID int

// Service is the program of a node. Its handlers run to completion: they must not block, start goroutines, or read clocks
// and random numbers except through their [Env]. A handler is a function of its node's state, the event, and the values
// that its Env returns. It changes its own node only, and requests effects through the Env.
type Service interface {
	// Boot is called on every start of the node, also after a crash. The service is a new value each time.
	Boot(env Env)
	// Receive is called for each delivered message. The service owns msg.
	Receive(env Env, from NodeID, msg any)
	// Timer is called when a timer fires. t is the value passed to SetTimer.
	Timer(env Env, t any)
}

// PeerErrorHandler is implemented by services that handle broken connections. Without it such errors are dropped.
type PeerErrorHandler interface {
	PeerError(env Env, peer NodeID, err error)
}

// PeerReadyHandler is implemented by services that retry refused sends. PeerReady is called when the send buffer of a
// stream that refused a message has room again.
type PeerReadyHandler interface {
	PeerReady(env Env, peer NodeID)
}

// Closer is implemented by services that hold resources besides their state, such as a library with its own goroutines.
// Close is called once for each service when it is discarded: when its node crashes, when a run ends, or when it was
// made only for inspection. It has no Env because it is not part of the run. It must not leave anything running. A
// Close method that returns an error is called, too. An error is a violation, as a panic is. Such services run on the
// replay engine only, because their resources cannot be copied.
type Closer interface {
	Close()
}

// Nop implements [Service] with handlers that do nothing. Embed it and define only the handlers that the service needs.
// A handler whose name is misspelt is never called, which "macemc vet" reports.
type Nop struct{}

func (Nop) Boot(Env)                 {}
func (Nop) Receive(Env, NodeID, any) {}
func (Nop) Timer(Env, any)           {}
