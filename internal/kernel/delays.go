package kernel

import (
	"fmt"
	"slices"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/sim"
)

// delays holds the clocks of nodes and links together under [sim.Bounded]. The zero value stands for other timings and
// for unbounded runs. Times are relative to the earliest one, so that states with the same possible futures are equal.
type delays struct {
	bound   time.Duration
	clocks  []time.Duration // by node: the time there; 0 if no timer is armed
	armed   []bool          // by node
	since   []time.Duration // by receiver and sender: the time from which the link has to deliver; 0 if nothing waits
	waiting []bool          // by receiver and sender
	fires   []bool          // by node: its next timer may fire
	stepped bool            // a step was made since the last update

	unbounded bool // the run was chosen to be unbounded under [sim.BoundedLiveness]
}

// resetDelays resets the delays for a new run.
func (w *Machine) resetDelays(src choose.Source) {
	bound, ok := w.Sys.Timing.MaxDelay()
	if !ok {
		return
	}
	if w.Sys.Timing.LivenessOnly() {
		w.Src = src
		if w.ask(choose.Point{Kind: choose.Draw, Arity: 2, Weights: []int{1, 1}, Label: "delays are unbounded"}) == 1 {
			w.delays = delays{unbounded: true}
			return
		}
	}
	n := w.Sys.Nodes
	w.delays = delays{
		bound: bound, clocks: make([]time.Duration, n), armed: make([]bool, n), since: make([]time.Duration, n*n), waiting: make([]bool, n*n),
		fires: make([]bool, n), stepped: true,
	}
}

// JudgesLiveness reports whether the Eventually properties are judged in the run of a world. They are not if its delays
// are unbounded under [sim.BoundedLiveness].
func JudgesLiveness(w World) bool {
	m, ok := w.(*Machine)
	return !ok || !m.delays.unbounded
}

func (d *delays) clone() delays {
	c := *d
	c.clocks, c.armed, c.fires = slices.Clone(d.clocks), slices.Clone(d.armed), slices.Clone(d.fires)
	c.since, c.waiting = slices.Clone(d.since), slices.Clone(d.waiting)
	return c
}

// latest returns the time of the latest clock or link.
func (d *delays) latest() time.Duration {
	return max(slices.Max(d.clocks), slices.Max(d.since))
}

// noteDelays updates the delays after a step. A timer may fire if it is due at most the bound later than every other
// timer and every link that has to deliver. The earliest event is always possible.
func (w *Machine) noteDelays() {
	d := &w.delays
	d.stepped = false
	now := d.latest()
	waiting := make([]bool, len(d.waiting))
	for i := range w.Members {
		if n := &w.Members[i]; n.Up {
			w.buf = w.Net.AppendEvents(n.ID, w.buf[:0])
			for _, ev := range w.buf {
				waiting[i*len(w.Members)+int(ev.Peer)] = true
			}
		}
	}
	for i, waits := range waiting {
		took := w.last.Event.Peer >= 0 && i == int(w.last.Event.Node)*len(w.Members)+int(w.last.Event.Peer) && !w.last.Event.Kind.Injection()
		set(&d.since[i], waits, d.waiting[i] && !took, now)
	}
	d.waiting = waiting
	for i := range w.Members {
		armed := len(w.Members[i].Armed) > 0
		set(&d.clocks[i], armed, d.armed[i], now)
		d.armed[i] = armed
	}
	d.normalize()
	w.noteFires()
}

// set updates a time: 0 if it is not in use, now if its use begins.
func set(t *time.Duration, used, before bool, now time.Duration) {
	switch {
	case !used:
		*t = 0
	case !before:
		*t = now
	}
}

// normalize makes the earliest time 0.
func (d *delays) normalize() {
	first := time.Duration(-1)
	each := func(f func(*time.Duration)) {
		for i := range d.clocks {
			if d.armed[i] {
				f(&d.clocks[i])
			}
		}
		for i := range d.since {
			if d.waiting[i] {
				f(&d.since[i])
			}
		}
	}
	each(func(t *time.Duration) {
		if first < 0 || *t < first {
			first = *t
		}
	})
	each(func(t *time.Duration) { *t -= first })
}

// noteFires relists the timers of a node if whether they may fire has changed.
func (w *Machine) noteFires() {
	d := &w.delays
	due := make([]time.Duration, len(w.Members))
	limit := time.Duration(-1)
	note := func(t time.Duration) {
		if limit < 0 || t < limit {
			limit = t
		}
	}
	for i := range w.Members {
		if d.armed[i] {
			due[i] = d.clocks[i] + w.Members[i].nextTimer()
			note(due[i])
		}
	}
	for i, waits := range d.waiting {
		if waits {
			note(d.since[i])
		}
	}
	for i := range w.Members {
		if fires := d.armed[i] && due[i] <= limit+d.bound; fires != d.fires[i] {
			d.fires[i] = fires
			w.relist(sim.NodeID(i))
		}
	}
}

// append encodes the delays.
func (d *delays) append(buf []byte) []byte {
	for _, list := range [][]time.Duration{d.clocks, d.since} {
		for _, t := range list {
			buf = appendCount(buf, int(t))
		}
	}
	return buf
}

// fields describes the delays.
func (d *delays) fields(f []sim.Field) []sim.Field {
	if d.unbounded {
		f = append(f, sim.Field{Path: "(delays)", Value: "unbounded"})
	}
	for i, t := range d.clocks {
		if d.armed[i] {
			f = append(f, sim.Field{Path: fmt.Sprintf("(clock of n%d)", i), Value: t.String()})
		}
	}
	for i, t := range d.since {
		if d.waiting[i] {
			f = append(f, sim.Field{Path: fmt.Sprintf("(n%d->n%d waits since)", i%len(d.clocks), i/len(d.clocks)), Value: t.String()})
		}
	}
	return f
}
