package kernel

import (
	"time"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

// virtualTime is the virtual time of [sim.Clocks], for nodes that are programs. Services compare readings of
// package macetime, see clock. The zero value stands for independent clocks.
type virtualTime struct {
	now time.Duration   // since the run began
	at  []time.Duration // by node: the time of its last step
}

// newTime returns the time at the start of a run.
func newTime(sys *sim.System) (t virtualTime) {
	if sys.Clocks != nil {
		t.at = make([]time.Duration, sys.Nodes)
	}
	return t
}

func (t *virtualTime) clone() virtualTime {
	return virtualTime{t.now, append([]time.Duration(nil), t.at...)}
}

// pass advances the clock of a node to the common time before it handles an event. A timer that is due later advances
// the common time. Without common time, [Node.fire] advances the node's timers.
func (w *Machine) pass(n *Node, ev netmodel.Event) {
	t := &w.time
	if ev.Kind == eventkind.FireTimer {
		t.now = max(t.now, t.at[n.ID]+n.Armed[ev.Slot].untilDue)
	}
	elapsed := t.now - t.at[n.ID]
	t.at[n.ID] = t.now
	for i := range n.Armed {
		n.Armed[i].untilDue = max(0, n.Armed[i].untilDue-elapsed)
	}
	w.delays.Pass(n.ID, elapsed)
}

// CommonTime returns the common time of the nodes of a world. ok is false if their clocks are independent.
func CommonTime(w World) (now time.Duration, ok bool) {
	m, ok := w.(*Machine)
	if !ok || m.time.at == nil {
		return 0, false
	}
	return m.time.now, true
}

// append encodes the time.
func (t *virtualTime) append(buf []byte) []byte {
	buf = appendCount(buf, int(t.now))
	for _, at := range t.at {
		buf = appendCount(buf, int(t.now-at))
	}
	return buf
}

// Time implements [simext.Timekeeper].
func (e *env) Time() (time.Duration, *sim.Clocks, int64) {
	began := simext.InstantOf(e.w.Sys)
	if e.w.time.at == nil {
		return 0, nil, began
	}
	return e.w.time.now, e.w.Sys.Clocks, began
}
