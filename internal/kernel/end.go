package kernel

import "runtime"

// swallowedPanics is how many panics of the checker a handler may recover from before its goroutine is ended.
const swallowedPanics = 1000

// end ends the handler by a panic with why. The finding is kept, so that a handler which recovers does not hide it. One that
// recovers for ever does not come back: its goroutine is ended where that is contained.
func (w *Machine) end(why any) {
	if w.Ended == nil {
		w.Ended, w.swallowed = PanicFinding(-1, why), 0
	}
	if w.swallowed++; w.swallowed > swallowedPanics && w.contains() {
		runtime.Goexit()
	}
	panic(why)
}

// contains reports whether handlers run on goroutines of their own. Those of a bench do unless its caller is guarded: explorations by
// the table engine run few.
func (w *Machine) contains() bool { return w.apart || w.OnBench && !w.Opts.Guarded }
