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

// Stepper is implemented by services that have steps of their own, which neither the application nor time asks for:
// an event that was put aside is handled, say. Such a step is an event like any other: others may come before it. A
// node that runs outside of a check takes it as soon as the handler before it has returned.
type Stepper interface {
	// Ready reports whether there is a step to take. It looks at the service alone, and changes nothing.
	Ready() bool
	// Step is a handler. It is called only when Ready reports true.
	Step(Env)
}

// Hosting is implemented by services that run code which is written for them, so that people see that code.
type Hosting interface {
	// Hosted names what the service runs, for lanes; it does so before Boot, too. Code is a pointer to the struct whose
	// methods run, nil before Boot, and path that of the field which refers to it.
	Hosted() (name string, code any, path string)
}

// Conditional is implemented by services that not every program can run.
type Conditional interface {
	// CanRun says what this program lacks; nil: nothing.
	CanRun() error
}

// Limited is implemented by services of which a search cannot see all that they may do.
type Limited interface {
	// Uncovered says in a line what it does not see, of a system with that interleaving.
	Uncovered(Interleave) string
}

// Carrier is implemented by services that carry a program of the user's. Their own code is not what handled an event, so no
// report shows a line of it. The names of
// its fields that are not exported stand in parentheses where states are shown.
type Carrier interface {
	// Carries does nothing.
	Carries()
}

// Nop implements [Service] by doing nothing; embed it to leave handlers out.
type Nop struct{}

func (Nop) Boot(Env)                 {}
func (Nop) Receive(Env, NodeID, any) {}
func (Nop) Timer(Env, any)           {}
