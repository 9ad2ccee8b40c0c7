package world

import (
	"maps"
	"reflect"
	"slices"

	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/sim"
)

// Coverage lists the effects of the steps of an exploration. It has one message and one timer of each type, a
// message once for each receiver.
type Coverage struct {
	Sent, Delivered []Sent
	Set, Fired      []any      // values of timers
	Actions         []bool     // by index: whether the action was taken
	Sometimes       []bool     // by index: whether the Sometimes property held in some state
	Used            sim.Limits // maximum number of faults on the way to a state
	ForeignTimes    bool       // times of different nodes were compared
}

// Sent is a message to a node.
type Sent struct {
	To   sim.NodeID
	Body any
}

// covering collects the coverage that is not in the tables.
type covering struct {
	Used      sim.Limits // maximum number of faults on the way to a state
	Sometimes []Property
	Unmet     int    // number of Sometimes properties that have not held in any state
	Met       []bool // by index in Sometimes: whether it has held
}

// ResetCoverage clears the coverage. Steps that were already in the tables do not count.
func (w *World) ResetCoverage() {
	for i := range w.Trees.Leaves.Len() {
		w.Trees.Leaves.At(uint32(i)).Taken = false
	}
	c := &w.Covering
	*c = covering{}
	for i := range w.Sys.Properties {
		if p := &w.Sys.Properties[i]; p.Sometimes != nil {
			c.Sometimes = append(c.Sometimes, Property{Property: p})
		}
	}
	c.ForgetSometimes()
}

// ForgetSometimes marks all Sometimes properties as not held.
func (c *covering) ForgetSometimes() {
	c.Unmet, c.Met = len(c.Sometimes), make([]bool, len(c.Sometimes))
}

// CoverState evaluates the Sometimes properties that have not held yet.
func (w *World) CoverState() {
	c := &w.Covering
	if c.Unmet == 0 {
		return
	}
	for i := range c.Sometimes {
		if !c.Met[i] && w.Value(&c.Sometimes[i]) {
			c.Met[i] = true
			c.Unmet--
		}
	}
}

// noteFaults updates the maximum number of faults.
func (w *World) noteFaults() {
	most, left, budget := w.Sys.Limits(), w.NetGlobals.List[w.Vector[w.Layout.NetGlobals]].State.Left, w.Vector[w.Layout.Budget]
	most[sim.Halts] = declared.MostHalts(w.Sys)
	left[sim.Crashes], left[sim.Halts] = store.CrashesLeft(budget), store.HaltsLeft(budget)
	for f := range most {
		w.Covering.Used[f] = max(w.Covering.Used[f], most[f]-left[f])
	}
}

// Coverage computes the coverage of the taken steps from the tables.
func (w *World) Coverage() Coverage {
	c := Coverage{
		Actions: make([]bool, len(w.Sys.Actions)), Sometimes: w.Covering.Met, Used: w.Covering.Used,
	}
	kinds := coveredTypes{}
	for i := range w.Trees.Roots.Slots {
		slot := &w.Trees.Roots.Slots[i]
		if slot.Key == 0 {
			continue
		}
		if w.coverTree(&c, kinds, steptree.Ref(slot.Value)) {
			w.coverEvent(&c, kinds, uint32((slot.Key-1)>>32), uint32(slot.Key-1))
		}
	}
	return c
}

// coveredTypes is a set of types and where they occurred.
type coveredTypes map[coveredType]bool

type coveredType struct {
	list *[]Sent // or of timers
	any  *[]any
	to   sim.NodeID
	kind reflect.Type
}

func (t coveredTypes) send(list *[]Sent, to sim.NodeID, body any) {
	if k := (coveredType{list: list, to: to, kind: reflect.TypeOf(body)}); !t[k] {
		t[k] = true
		*list = append(*list, Sent{to, body})
	}
}

func (t coveredTypes) timer(list *[]any, value any) {
	if k := (coveredType{any: list, kind: reflect.TypeOf(value)}); !t[k] {
		t[k] = true
		*list = append(*list, value)
	}
}

// coverTree adds the effects of the taken leaves, and reports whether there are any.
func (w *World) coverTree(c *Coverage, kinds coveredTypes, at steptree.Ref) (visited bool) {
	if at == steptree.NoRef {
		return false
	}
	if at&1 == 1 {
		q := w.Trees.Inner.At(uint32(at >> 1))
		for _, next := range q.Next {
			visited = w.coverTree(c, kinds, next) || visited
		}
		for _, branch := range slices.Sorted(maps.Keys(q.Far)) {
			visited = w.coverTree(c, kinds, q.Far[branch]) || visited
		}
		return visited
	}
	l := w.Trees.Leaves.At(uint32(at >> 1))
	if !l.Taken {
		return false
	}
	for i := range l.Effects {
		switch e := &l.Effects[i]; e.Kind {
		case stepinfo.SendEffect, stepinfo.StreamEffect:
			kinds.send(&c.Sent, e.Peer, e.Msg.Body)
		case stepinfo.SetTimerEffect:
			kinds.timer(&c.Set, e.Value)
		}
	}
	return true
}

// coverEvent adds an event of a local state.
func (w *World) coverEvent(c *Coverage, kinds coveredTypes, id, event uint32) {
	l := &w.Locals.List[id]
	what := int32(event / store.EventClasses / uint32(w.Nodes))
	switch event % store.EventClasses {
	case store.ActionEvent:
		c.Actions[what] = true
	case store.TimerEvent:
		kinds.timer(&c.Fired, l.State.Timer(what))
	case store.DeliverEvent:
		kinds.send(&c.Delivered, l.Node, w.Contents.List[what].Body)
	case store.QuorumEvent:
		for _, msg := range w.Quorums.Sets[what].Msgs {
			kinds.send(&c.Delivered, l.Node, w.Contents.List[msg].Body)
		}
	}
}
