package sim

// NodeID names a node: 0 to Nodes-1. It is a type of its own so that the state plan can find node
// names inside states.
type NodeID int

// Service is what a node runs. Handlers are event-driven and run to completion: they must not
// block, start goroutines, read clocks or draw random numbers other than through their [Env]. A
// handler is a function of its node's state, the event and the answers to its questions; it changes
// its own node only and asks for effects.
type Service interface {
	// Boot is called on every start of the node, also after a crash. The service is a new value then.
	Boot(env Env)
	// Receive is called for each message delivered. msg is a private copy.
	Receive(env Env, from NodeID, msg any)
	// Timer is called when a timer that was set fires; t is the value it was set with.
	Timer(env Env, t any)
}

// PeerErrorHandler is implemented by services that want to know of broken connections. Without it
// such errors are dropped.
type PeerErrorHandler interface {
	PeerError(env Env, peer NodeID, err error)
}

// PeerReadyHandler is implemented by services that want to know that there is room again in the send
// buffer of a stream that had refused a message.
type PeerReadyHandler interface {
	PeerReady(env Env, peer NodeID)
}

// Closer is implemented by services that hold more than their state: a library with goroutines of its own, say. Close is called once for
// each service that was made, when it is thrown away: when its node crashes, when a run ends, and when it was made only to be looked at. There is
// no Env, as nothing that it does is part of the run; it must leave nothing behind that runs. A service with an io.Closer's Close is told
// likewise, and an error is a finding, as a panic is. Such services are executed by replay alone, as what they hold cannot be copied.
type Closer interface {
	Close()
}

// Nop implements [Service] by doing nothing; embed it to leave handlers out.
type Nop struct{}

func (Nop) Boot(Env)                 {}
func (Nop) Receive(Env, NodeID, any) {}
func (Nop) Timer(Env, any)           {}
