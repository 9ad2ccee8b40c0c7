package search

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

// AfterLive says how often something happened after the first live state of a walk.
type AfterLive struct {
	What  string `json:"what"`  // "action read", "message Ping", "timer Beat", as in NeverHappened
	Times int    `json:"times"` // in all walks that were looked at together
	Walks int    `json:"walks"` // in how many of them
}

// activity counts what happens in walks after their first live state. It looks at the walks that are looked at for what is new.
type activity struct {
	on, live bool // the walk in progress is looked at, was in a live state
	walk     int  // counts those that were in one
	done     map[coverKey]*happenings
	buf      []sim.Envelope
}

type happenings struct{ times, walks, last int }

func (a *activity) reset() { a.walk, a.done, a.on = 0, map[coverKey]*happenings{}, false }

// begin prepares for the next walk.
func (a *activity) begin(on bool) { a.on, a.live = on, false }

// arrive notes a state.
func (a *activity) arrive(at *Node) {
	if a.on && !a.live && at.Goal && at.Live {
		a.live = true
		a.walk++
	}
}

// before counts an event that is about to happen, after the first live state.
func (a *activity) before(w kernel.World, c *coverage, ev sim.Event) {
	switch ev.Kind {
	case sim.DoAction:
		a.count(coverKey{what: actionItem, slot: ev.Slot})
	case sim.Deliver:
		a.buf = w.Messages(ev, a.buf[:0])
		for i := range a.buf {
			a.count(c.message(ev.Node, a.buf[i].Msg))
		}
	}
}

func (a *activity) fired(value any) {
	a.count(coverKey{what: timerItem, value: reflect.TypeOf(value)})
}

func (a *activity) count(k coverKey) {
	h := a.done[k]
	if h == nil {
		h = &happenings{}
		a.done[k] = h
	}
	h.times++
	if h.last != a.walk {
		h.walks, h.last = h.walks+1, a.walk
	}
}

// merge adds what o counted.
func (a *activity) merge(o *activity) {
	a.walk += o.walk
	for k, h := range o.done {
		all := a.done[k]
		if all == nil {
			all = &happenings{}
			a.done[k] = all
		}
		all.times += h.times
		all.walks += h.walks
	}
}

// list is what was counted, and what happened never after a live state but is known to be possible, the rarest first.
func (a *activity) list(c *coverage) []AfterLive {
	if a.walk == 0 {
		return nil
	}
	counts := map[string]AfterLive{}
	add := func(k coverKey) {
		x := AfterLive{What: c.name(k)}
		if h := a.done[k]; h != nil {
			x.Times, x.Walks = h.times, h.walks
		}
		old := counts[x.What]
		x.Times, x.Walks = x.Times+old.Times, max(x.Walks, old.Walks) // several types may have one name
		counts[x.What] = x
	}
	for _, it := range c.items {
		add(it.coverKey)
	}
	for slot := range c.names {
		add(coverKey{what: actionItem, slot: int32(slot)})
	}
	var out []AfterLive
	for _, x := range counts {
		out = append(out, x)
	}
	slices.SortFunc(out, func(x, y AfterLive) int { return cmp.Or(x.Times-y.Times, cmp.Compare(x.What, y.What)) })
	return out
}
