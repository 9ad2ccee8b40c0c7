package table

import (
	"maps"
	"reflect"
	"slices"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

// Coverage is what the steps of an exploration did, and what they made possible. Messages and timers stand for
// all of their types; of each type there is one, a message once for each node that it was for.
type Coverage struct {
	Sent, Delivered []Sent
	Set, Fired      []any      // values of timers
	Actions         []bool     // by their order in the system: whether they were taken
	Sometimes       []bool     // by the order of Sometimes properties: whether they held in some state
	Used            sim.Limits // most faults that struck on the way to one state
	ForeignTimes    bool       // times of different nodes were compared
}

// Sent is a message for a node.
type Sent struct {
	To   sim.NodeID
	Body any
}

// covering collects what cannot be read off the tables.
type covering struct {
	used      sim.Limits
	sometimes []property
	unmet     int // Sometimes properties that have not held in any state
	met       []bool
}

// forgetCoverage makes nothing covered: steps that were in the tables before do not count.
func (w *World) forgetCoverage() {
	for i := range w.steps.leaves.len() {
		w.steps.leaves.at(uint32(i)).met = false
	}
	c := &w.covering
	*c = covering{}
	for i := range w.sys.Properties {
		if p := &w.sys.Properties[i]; p.Sometimes != nil {
			c.sometimes = append(c.sometimes, property{Property: p})
		}
	}
	c.forgetSometimes()
}

// forgetSometimes makes no Sometimes property one that held in some state.
func (c *covering) forgetSometimes() {
	c.unmet, c.met = len(c.sometimes), make([]bool, len(c.sometimes))
}

// noteState evaluates Sometimes properties that have not held yet.
func (w *World) noteState() {
	c := &w.covering
	if c.unmet == 0 {
		return
	}
	for i := range c.sometimes {
		if !c.met[i] && w.value(&c.sometimes[i]) {
			c.met[i] = true
			c.unmet--
		}
	}
}

// noteFaults notes how many faults have struck on the way to the state.
func (w *World) noteFaults() {
	most, left, budget := w.sys.Limits(), w.netGlobals.list[w.v[w.layout.netGlobals]].state.Left, w.v[w.layout.budget]
	most[sim.Halts] = kernel.MostHalts(w.sys)
	left[sim.Crashes], left[sim.Halts] = crashesLeft(budget), haltsLeft(budget)
	for f := range most {
		w.covering.used[f] = max(w.covering.used[f], most[f]-left[f])
	}
}

// covered reads off the tables what the steps that were taken did.
func (w *World) covered() Coverage {
	c := Coverage{
		Actions: make([]bool, len(w.sys.Actions)), Sometimes: w.covering.met, Used: w.covering.used,
	}
	kinds := typesMet{}
	for i := range w.steps.roots.slots {
		slot := &w.steps.roots.slots[i]
		if slot.key == 0 {
			continue
		}
		if w.coverTree(&c, kinds, ref(slot.value)) {
			w.coverEvent(&c, kinds, uint32((slot.key-1)>>32), uint32(slot.key-1))
		}
	}
	return c
}

// typesMet says which types were met, where.
type typesMet map[typeMet]bool

type typeMet struct {
	list *[]Sent // or of timers
	any  *[]any
	to   sim.NodeID
	kind reflect.Type
}

func (t typesMet) send(list *[]Sent, to sim.NodeID, body any) {
	if k := (typeMet{list: list, to: to, kind: reflect.TypeOf(body)}); !t[k] {
		t[k] = true
		*list = append(*list, Sent{to, body})
	}
}

func (t typesMet) timer(list *[]any, value any) {
	if k := (typeMet{any: list, kind: reflect.TypeOf(value)}); !t[k] {
		t[k] = true
		*list = append(*list, value)
	}
}

// coverTree adds the effects of the leaves that were taken, and reports whether there are any.
func (w *World) coverTree(c *Coverage, kinds typesMet, at ref) (met bool) {
	if at == noRef {
		return false
	}
	if at&1 == 1 {
		q := w.steps.inner.at(uint32(at >> 1))
		for _, next := range q.next {
			met = w.coverTree(c, kinds, next) || met
		}
		for _, branch := range slices.Sorted(maps.Keys(q.far)) {
			met = w.coverTree(c, kinds, q.far[branch]) || met
		}
		return met
	}
	l := w.steps.leaves.at(uint32(at >> 1))
	if !l.met {
		return false
	}
	for i := range l.effects {
		switch e := &l.effects[i]; e.Kind {
		case kernel.SendEffect, kernel.StreamEffect:
			kinds.send(&c.Sent, e.Peer, e.Msg.Body)
		case kernel.SetTimerEffect:
			kinds.timer(&c.Set, e.Value)
		}
	}
	return true
}

// coverEvent adds an event that happened in a local state.
func (w *World) coverEvent(c *Coverage, kinds typesMet, id, event uint32) {
	l := &w.locals.list[id]
	what := int32(event / eventClasses / uint32(w.nodes))
	switch event % eventClasses {
	case actionEvent:
		c.Actions[what] = true
	case timerEvent:
		kinds.timer(&c.Fired, l.state.Timer(what))
	case deliverEvent:
		kinds.send(&c.Delivered, l.node, w.messages.list[what].Body)
	case quorumEvent:
		for _, msg := range w.quorums.sets[what].msgs {
			kinds.send(&c.Delivered, l.node, w.messages.list[msg].Body)
		}
	}
}
