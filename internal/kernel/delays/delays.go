// Package delays keeps the times of nodes and links under bounded delays: which timers may fire, and by when links have to deliver.
package delays

import (
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/sim"
)

// Delays holds the clocks of nodes and links together under [sim.Bounded]. The zero value stands for other timings and
// for unbounded runs. Times are relative to the earliest one, so that states with the same possible futures are equal.
type Delays struct {
	Unbounded bool // the run was chosen to be unbounded under [sim.BoundedLiveness]
	Pausing   bool // one node at a time may be late by any delay, if set before [Delays.Start]
	Stepped   bool // a step was made since the last update

	bounded bool
	bound   time.Duration
	clocks  []time.Duration // by node: the time there; 0 if no timer is armed
	armed   []bool          // by node
	since   []time.Duration // by receiver and sender: the time from which the link has to deliver; 0 if nothing waits
	waited  []bool          // by receiver and sender: something waited before the step
	waiting []bool          // by receiver and sender
	fires   []bool          // by node: its next timer may fire
	due     []time.Duration // by node: scratch of updateFires
	first   []time.Duration // by node: scratch of limit
	changed []int           // scratch of updateFires
}

// Start sets the delays of n nodes at the start of a run with a bound.
func (d *Delays) Start(bound time.Duration, n int) {
	if d.clocks == nil {
		d.clocks, d.armed, d.fires, d.due = make([]time.Duration, n), make([]bool, n), make([]bool, n), make([]time.Duration, n)
		d.since, d.waiting, d.waited = make([]time.Duration, n*n), make([]bool, n*n), make([]bool, n*n)
	}
	clear(d.clocks)
	clear(d.since)
	for _, set := range [][]bool{d.armed, d.fires, d.waiting, d.waited} {
		clear(set)
	}
	d.bound, d.bounded, d.Unbounded, d.Stepped = bound, true, false, true
}

// Unbind removes the bound.
func (d *Delays) Unbind() { d.bounded, d.Unbounded, d.Pausing, d.Stepped = false, true, false, false }

// Bounded reports whether delays are bounded in the run.
func (d *Delays) Bounded() bool { return d.bounded }

// Clone returns a copy that shares nothing.
func (d *Delays) Clone() Delays {
	c := *d
	c.clocks, c.armed, c.fires = slices.Clone(d.clocks), slices.Clone(d.armed), slices.Clone(d.fires)
	c.since, c.waiting, c.waited = slices.Clone(d.since), slices.Clone(d.waiting), slices.Clone(d.waited)
	c.due, c.first, c.changed = slices.Clone(d.due), nil, nil
	return c
}

// Fires reports whether the next timer of a node may fire: with a bound, only if no other event is late then.
func (d *Delays) Fires(node sim.NodeID) bool { return !d.Bounded() || d.fires[node] }

// Pass advances the clock of a node with timers.
func (d *Delays) Pass(node sim.NodeID, elapsed time.Duration) {
	if d.Bounded() && d.armed[node] {
		d.clocks[node] += elapsed
	}
}

// latest returns the time of the latest clock or link.
func (d *Delays) latest() time.Duration {
	return max(slices.Max(d.clocks), slices.Max(d.since))
}

// Row returns which links to a node have something to deliver, by sender. The caller changes it before [Delays.Update].
func (d *Delays) Row(node int) []bool {
	n := len(d.clocks)
	return d.waiting[node*n : (node+1)*n]
}

// Update updates the delays after a step. took is the link that has delivered in the step, by receiver and sender, or -1. next returns the
// time until the next timer of a node fires, and whether it has timers. The result lists the nodes for which [Delays.Fires] has changed,
// and is valid until the next call.
func (d *Delays) Update(took int, next func(node int) (left time.Duration, armed bool)) (changed []int) {
	d.Stepped = false
	now := d.latest()
	for i, waits := range d.waiting {
		set(&d.since[i], waits, d.waited[i] && i != took, now)
	}
	copy(d.waited, d.waiting)
	for i := range d.clocks {
		_, armed := next(i)
		set(&d.clocks[i], armed, d.armed[i], now)
		d.armed[i] = armed
	}
	d.normalize()
	return d.updateFires(next)
}

// updateFires returns the nodes for which it has changed whether timers may fire. A timer may fire if it is due at most the
// bound later than the limit. The earliest event is always possible.
func (d *Delays) updateFires(next func(node int) (left time.Duration, armed bool)) []int {
	due, changed := d.due, d.changed[:0]
	for i := range due {
		if d.armed[i] {
			left, _ := next(i)
			due[i] = d.clocks[i] + left
		}
	}
	limit := d.limit()
	for i := range due {
		if fires := d.armed[i] && due[i] <= limit+d.bound; fires != d.fires[i] {
			d.fires[i] = fires
			changed = append(changed, i)
		}
	}
	d.changed = changed
	return changed
}

// limit returns the earliest time at which a timer is due or a link has to deliver. If nodes may pause, the node with the
// earliest one does, and the limit is that of the others.
func (d *Delays) limit() time.Duration {
	d.first = d.first[:0]
	for node := range d.due {
		first := time.Duration(-1)
		note := func(t time.Duration) {
			if first < 0 || t < first {
				first = t
			}
		}
		if d.armed[node] {
			note(d.due[node])
		}
		for from, waits := range d.Row(node) {
			if waits {
				note(d.since[node*len(d.due)+from])
			}
		}
		if first >= 0 {
			d.first = append(d.first, first)
		}
	}
	if len(d.first) == 0 {
		return 0
	}
	slices.Sort(d.first)
	if d.Pausing && len(d.first) > 1 {
		return d.first[1]
	}
	return d.first[0]
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
func (d *Delays) normalize() {
	first := time.Duration(-1)
	for _, l := range d.used() {
		for i, t := range l.times {
			if l.used[i] && (first < 0 || t < first) {
				first = t
			}
		}
	}
	if first <= 0 {
		return
	}
	for _, l := range d.used() {
		for i := range l.times {
			if l.used[i] {
				l.times[i] -= first
			}
		}
	}
}

// used returns the times, and which of them are in use.
func (d *Delays) used() [2]struct {
	times []time.Duration
	used  []bool
} {
	return [2]struct {
		times []time.Duration
		used  []bool
	}{{d.clocks, d.armed}, {d.since, d.waiting}}
}

// Append encodes the delays.
func (d *Delays) Append(buf []byte) []byte {
	for _, list := range [][]time.Duration{d.clocks, d.since} {
		for _, t := range list {
			buf = binary.AppendUvarint(buf, uint64(t))
		}
	}
	if d.Pausing {
		buf = append(buf, 1)
	}
	return buf
}

// Fields appends a description of the delays.
func (d *Delays) Fields(f []diff.Field) []diff.Field {
	if d.Unbounded {
		f = append(f, diff.Field{Path: "(delays)", Value: "unbounded"})
	}
	if !d.bounded {
		return f
	}
	if d.Pausing {
		f = append(f, diff.Field{Path: "(delays)", Value: "of one node at a time are unbounded"})
	}
	for i, t := range d.clocks {
		if d.armed[i] {
			f = append(f, diff.Field{Path: fmt.Sprintf("(clock of n%d)", i), Value: t.String()})
		}
	}
	for i, t := range d.since {
		if d.waiting[i] {
			f = append(f, diff.Field{Path: fmt.Sprintf("(n%d->n%d waits since)", i%len(d.clocks), i/len(d.clocks)), Value: t.String()})
		}
	}
	return f
}
