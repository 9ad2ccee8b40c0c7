package simext

// BetweenGoroutines divides what is said of the goroutines of a program in the description of its state.
const BetweenGoroutines = "; "

// HostProgram calls f, which runs the goroutines of a program that a service hosts and is not one of them. Those who
// read stacks know its goroutine by this call.
//
//go:noinline
func HostProgram(f func()) { f() }

// AwaitProgram calls wait, by which a handler waits until the goroutines of such a program have come to rest. Those who
// read stacks know by this call that it waits for no other handler.
//
//go:noinline
func AwaitProgram(wait func()) { wait() }
