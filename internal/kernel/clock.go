package kernel

import (
	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/macetime"
)

// retain drops the clock's decisions about times that the node no longer holds.
func (w *Machine) retain(n *Node) {
	if n.Service == nil {
		return
	}
	w.Enc.Reset()
	w.Enc.Add(w.PlanOf(n.Service), n.Service)
	n.Clock.Retain(w.Enc.Times())
}

// ticker is the macetime.Clock of a node.
type ticker struct{ e *env }

func (t *ticker) Now() macetime.Time {
	t.e.use("Clock.Now")
	now := t.e.n.Clock.Now()
	if t.e.w.Opts.Times != nil {
		t.e.w.Opts.Times.Read(t.e.n.ID, now)
	}
	return now
}

func (t *ticker) Before(a, b macetime.Time, weights ...int) bool {
	t.e.use("Clock.Before")
	if len(weights) != 0 && len(weights) != 2 {
		t.e.w.end(misuse("Clock.Before: weights must be none or two"))
	}
	m := &t.e.n.Clock
	foreign := m.Foreign
	return m.Before(a, b, func([]int) int {
		kind := choose.Compare
		if m.Foreign > foreign {
			kind = choose.CompareForeign
		}
		if t.e.w.Opts.Times != nil {
			t.e.w.Opts.Times.Compare(t.e.n.ID, a, b)
		}
		return t.e.ask(choose.Point{Kind: kind, Arity: 2, Weights: weights, Label: kind.Label()})
	})
}

func (t *ticker) Tick() macetime.MonotoneTime {
	t.e.use("Clock.Tick")
	return t.e.n.Clock.Tick()
}
