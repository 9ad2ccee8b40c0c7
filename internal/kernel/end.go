package kernel

import "runtime"

// swallowedPanics is the number of the checker's panics that a handler may recover from before its goroutine is ended.
const swallowedPanics = 1000

// end ends the handler by a panic with why. It keeps the finding, so that a handler cannot hide it by recovering. A
// handler that recovers every time does not return: its goroutine is ended if it is contained.
func (w *Machine) end(why any) {
	if w.Ended == nil {
		w.Ended, w.swallowed = PanicFinding(-1, why), 0
	}
	if w.swallowed++; w.swallowed > swallowedPanics && w.contains() {
		runtime.Goexit()
	}
	panic(why)
}

// contains reports whether handlers run on goroutines of their own. Those of a bench do unless its caller is guarded:
// the table engine runs few handlers.
func (w *Machine) contains() bool { return w.apart || w.OnBench && !w.Opts.Guarded }
