package kernel

import (
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel/delays"
	"github.com/macemc/macemc/sim"
)

// resetDelays resets the delays for a new run.
func (w *Machine) resetDelays(src choose.Source) {
	bound, ok := w.Sys.Timing.MaxDelay()
	if !ok {
		return
	}
	if w.Sys.Timing.LivenessOnly() {
		w.Src = src
		if w.ask(choose.Point{Kind: choose.Draw, Arity: 2, Weights: []int{1, 1}, Label: "delays are unbounded"}) == 1 {
			w.delays = delays.Delays{Unbounded: true}
			return
		}
	}
	w.delays = delays.New(bound, w.Sys.Nodes)
}

// JudgesLiveness reports whether the Eventually properties are judged in the run of a world. They are not if its delays
// are unbounded under [sim.BoundedLiveness].
func JudgesLiveness(w World) bool {
	m, ok := w.(*Machine)
	return !ok || !m.delays.Unbounded
}

// noteDelays updates the delays after a step, and relists the timers of the nodes for which it has changed whether they may fire.
func (w *Machine) noteDelays() {
	n, took := len(w.Members), -1
	waiting := make([]bool, n*n)
	for i := range w.Members {
		if w.Members[i].Up {
			w.buf = w.Net.AppendEvents(w.Members[i].ID, w.buf[:0])
			for _, ev := range w.buf {
				waiting[i*n+int(ev.Peer)] = true
			}
		}
	}
	if ev := &w.last.Event; ev.Peer >= 0 && !ev.Kind.Injection() {
		took = int(ev.Node)*n + int(ev.Peer)
	}
	for _, i := range w.delays.Update(waiting, took, func(i int) (time.Duration, bool) {
		if len(w.Members[i].Armed) == 0 {
			return 0, false
		}
		return w.Members[i].nextTimer(), true
	}) {
		w.relist(sim.NodeID(i))
	}
}
