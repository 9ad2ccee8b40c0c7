package kernel

import (
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/sim"
)

// resetDelays resets the delays for a new run.
func (w *Machine) resetDelays(src choose.Source) {
	bound, ok := w.Sys.Timing.MaxDelay()
	if !ok {
		return
	}
	if w.Sys.Timing.Sometimes() {
		w.Src = src
		if w.ask(Unbounded) == 1 {
			w.delays.Unbind()
			return
		}
	}
	w.delays.Start(bound, w.Sys.Nodes)
}

// Unbounded is the first question of a run whose timing [sim.Timing.Sometimes] bounds delays. The answer 1 means that
// they are unbounded. The table engine asks it, too.
var Unbounded = choose.Point{Kind: choose.Draw, Arity: 2, Weights: []int{1, 1}, Label: "delays are unbounded"}

// JudgesLiveness reports whether the Eventually properties are judged in the run of a world. They are not if its delays
// are unbounded under [sim.BoundedLiveness].
func JudgesLiveness(w World) bool { return !w.System().Timing.LivenessOnly() || BoundsDelays(w) }

// BoundsDelays reports whether delays are bounded in the run of a world. The table engine executes no such run.
func BoundsDelays(w World) bool {
	m, ok := w.(*Machine)
	return ok && m.delays.Bounded()
}

// noteDelays updates the delays after a step, and relists the timers of the nodes for which it has changed whether they may fire.
func (w *Machine) noteDelays() {
	n, took := len(w.Members), -1
	for i := range w.Members {
		if !w.events.dirty[i] {
			continue // what it waits for has not changed
		}
		row := w.delays.Row(i)
		clear(row)
		if w.Members[i].Up {
			w.buf = w.Net.AppendEvents(w.Members[i].ID, w.buf[:0])
			for _, ev := range w.buf {
				row[ev.Peer] = true
			}
		}
	}
	if ev := &w.last.Event; ev.Peer >= 0 && !ev.Kind.Injection() {
		took = int(ev.Node)*n + int(ev.Peer)
	}
	for _, i := range w.delays.Update(took, func(i int) (time.Duration, bool) {
		if len(w.Members[i].Armed) == 0 {
			return 0, false
		}
		return w.Members[i].nextTimer(), true
	}) {
		w.relist(sim.NodeID(i))
	}
}

// Unbind removes the bound from the delays of the run of a world. Its path no longer leads to its state.
func Unbind(w World) {
	if m, ok := w.(*Machine); ok && m.delays.Bounded() {
		m.delays.Unbind()
		m.events.listAnew()
	}
}
