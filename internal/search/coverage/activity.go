package coverage

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// Activity counts events in walks after their first live state. It covers the walks that are sampled for novelty.
type Activity struct {
	on, Live bool // the walk in progress is sampled; it was in a live state
	Runs     int  // number of walks that were in a live state
	done     map[coverKey]*happenings
	buf      []sim.Envelope
}

// Count counts an event after the first live states of walks.
type Count struct {
	What  string `json:"what"`  // name for people: "action read", "message Ping", "timer Beat"
	Times int    `json:"times"` // in all sampled walks
	Walks int    `json:"walks"` // number of walks in which it happened
}

type happenings struct{ times, walks, last int }

func (a *Activity) Reset() { a.Runs, a.done, a.on = 0, map[coverKey]*happenings{}, false }

// Begin prepares for the next walk.
func (a *Activity) Begin(on bool) { a.on, a.Live = on, false }

// Arrive records a state, which is live or not.
func (a *Activity) Arrive(live bool) {
	if a.on && !a.Live && live {
		a.Live = true
		a.Runs++
	}
}

// Before counts an event that is about to happen, after the first live state.
func (a *Activity) Before(w kernel.World, c *Set, ev netmodel.Event) {
	switch ev.Kind {
	case eventkind.DoAction:
		a.count(coverKey{what: actionItem, slot: ev.Slot})
	case eventkind.Deliver:
		a.buf = w.Messages(ev, a.buf[:0])
		for i := range a.buf {
			a.count(c.Message(ev.Node, a.buf[i].Msg))
		}
	}
}

func (a *Activity) Fired(value any) {
	a.count(coverKey{what: TimerItem, value: reflect.TypeOf(value)})
}

func (a *Activity) count(k coverKey) {
	h := a.done[k]
	if h == nil {
		h = &happenings{}
		a.done[k] = h
	}
	h.times++
	if h.last != a.Runs {
		h.walks, h.last = h.walks+1, a.Runs
	}
}

// Merge adds the counts of o.
func (a *Activity) Merge(o *Activity) {
	a.Runs += o.Runs
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

// List returns the counts, and the events known to be possible that never happened after a live state, the rarest
// first.
func (a *Activity) List(c *Set) []Count {
	if a.Runs == 0 {
		return nil
	}
	counts := map[string]Count{}
	add := func(k coverKey) {
		x := Count{What: c.name(k)}
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
	var out []Count
	for _, x := range counts {
		out = append(out, x)
	}
	slices.SortFunc(out, func(x, y Count) int { return cmp.Or(x.Times-y.Times, cmp.Compare(x.What, y.What)) })
	return out
}
