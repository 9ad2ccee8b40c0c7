package sim

import "slices"

// CallTracer is implemented by an [Env] that shows the calls between the services of its node. That of
// the checker does so by itself.
type CallTracer interface {
	// ShowsCalls reports whether anybody looks.
	ShowsCalls() bool
	// EnterCall notes that a call of a service begins. The function that it returns is called when the
	// call ends; nil when nobody looks.
	EnterCall(service, name string, args []any) (leave func())
}

// Frame is a call that has begun.
type Frame struct{ leave func() }

// Leave ends the call.
func (f Frame) Leave() {
	if f.leave != nil {
		f.leave()
	}
}

// Enter notes that a service of a node is called by another one: down by the service above it, or up by
// the one below. Logs and traces then show the call with its arguments, among the effects and in their
// order, and all that happens in it below it; a log of level debug, as live nodes may have, shows it too. The first line of the function called says
//
//	defer sim.Enter(env, "transport", "Send", to, msg).Leave()
//
// While searching nobody looks, and the call costs a few nanoseconds and no memory as long as its
// arguments do not: numbers below 256, pointers, constants and what is in an interface already.
// Arguments are not kept.
func Enter(e Env, service, name string, args ...any) (f Frame) {
	if t, ok := e.(CallTracer); ok && t.ShowsCalls() {
		f = enter(t, service, name, args)
	}
	return f
}

// enter hands on a copy of args, so that those of Enter stay on the stack.
func enter(t CallTracer, service, name string, args []any) Frame {
	return Frame{t.EnterCall(service, name, slices.Clone(args))}
}
