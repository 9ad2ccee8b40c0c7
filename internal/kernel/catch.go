package kernel

import "github.com/macemc/macemc/sim"

// CatchState, when deferred, turns a panic that carries a [*sim.StateError] or a [*sim.Finding] into an error. A method
// of a [World] that encodes the state learns the type behind an interface only then, and may panic. [World.Live] and
// Holds also report a panicking property this way. Other panics propagate.
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
