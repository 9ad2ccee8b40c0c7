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
		p := Unbounded
		if w.Sys.Timing.LivenessOnly() && w.Sys.Clocks != nil {
			p = unboundedOrPausing
		}
		pick := w.ask(p)
		if pick == 1 {
			w.delays.Unbind()
			return
		}
		w.delays.Pausing = pick == 2
	}
	w.delays.Start(bound, w.Sys.Nodes)
}

// Unbounded is the first question of a run whose timing [sim.Timing.Sometimes] bounds delays. The answer 1 means that
// they are unbounded. The table engine asks it, too.
var Unbounded = choose.Point{Kind: choose.Draw, Arity: 2, Weights: []int{1, 1}, Label: "delays are unbounded"}

// unboundedOrPausing is that question under [sim.BoundedLiveness] if the nodes have a common time. The answer 2 means that
// one node at a time may pause while the others keep the bound. A lease ends in such a pause, and not much else.
var unboundedOrPausing = choose.Point{Kind: choose.Draw, Arity: 3, Weights: []int{1, 1, 1},
	Label: Unbounded.Label + ", or (2) one node at a time may pause"}

// IsUnbounded reports whether the answer to a question with a label, the first of a run, makes the delays unbounded.
func IsUnbounded(label string, pick int) bool {
	return pick == 1 && (label == Unbounded.Label || label == unboundedOrPausing.Label)
}

// JudgesLiveness reports whether the Eventually properties are judged in the run of a world. They are not under
// [sim.BoundedLiveness] if its delays are unbounded or nodes may pause.
func JudgesLiveness(w World) bool {
	if !w.System().Timing.LivenessOnly() {
		return true
	}
	m, ok := w.(*Machine)
	return ok && m.delays.Bounded() && !m.delays.Pausing
}

// BoundsDelays reports whether delays are bounded in the run of a world. The table engine executes no such run.
func BoundsDelays(w World) bool {
	m, ok := w.(*Machine)
	return ok && m.delays.Bounded()
}

// noteDelays updates the delays after a step, and relists the timers of the nodes for which it has changed whether they may fire.
func (w *Machine) noteDelays() {
	n, took := len(w.Members), -1
	for i := range w.Members {
		if !w.events.Marked(i) {
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
