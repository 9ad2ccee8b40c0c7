package kernel

import "github.com/macemc/macemc/sim"

// CatchState, when deferred, turns a panic that carries a [*sim.StateError] or a [*sim.Finding] into an error:
// what lies behind an interface is known only when it is met, by any method of a [World] that needs the
// encoding of a state, and [World.Live] and Holds have no other way to tell that the function of a
// property panicked. Other panics go on.
func CatchState(err *error) {
	switch r := recover().(type) {
	case nil:
	case *sim.StateError:
		*err = r
	case *sim.Finding:
		*err = r
	default:
		panic(r)
	}
}
