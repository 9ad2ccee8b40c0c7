package sim

import "slices"

// callTracer is implemented by an [Env] that records the calls between the services of its node. The checker's Env
// implements it.
type callTracer interface {
	// ShowsCalls reports whether calls are being recorded.
	ShowsCalls() bool
	// EnterCall records the start of a call of a service. The function that it returns must be called at the end of the
	// call; it is nil if calls are not recorded.
	EnterCall(service, name string, args []any) (leave func())
}

// Frame is a call in progress.
type Frame struct{ leave func() }

// Leave ends the call.
func (f Frame) Leave() {
	if f.leave != nil {
		f.leave()
	}
}

// Enter records that one service of a node calls another: down, from the service above, or up, from the one below. Logs
// and traces then show the call with its arguments, in order among the effects, and everything that happens inside it.
// A log of level debug, as live nodes may have, shows it too. Call it on the first line of the called function:
//
//	defer sim.Enter(env, "transport", "Send", to, msg).Leave()
//
// During a search calls are not recorded. Enter then costs a few nanoseconds and allocates nothing, unless the
// conversion of the arguments to interfaces allocates: numbers below 256, pointers, constants and interface values do
// not. Arguments are not retained.
func Enter(e Env, service, name string, args ...any) (f Frame) {
	if t, ok := e.(callTracer); ok && t.ShowsCalls() {
		f = enter(t, service, name, args)
	}
	return f
}

// enter passes on a copy of args so that the slice of Enter stays on the stack.
func enter(t callTracer, service, name string, args []any) Frame {
	return Frame{t.EnterCall(service, name, slices.Clone(args))}
}
