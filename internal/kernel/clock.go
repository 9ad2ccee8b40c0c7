package kernel

import (
	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/sim"
)

// clock is the time model of one node.
type clock struct{ model macetime.Model }

func (c *clock) reset(id sim.NodeID) { c.model.Reset(int(id)) }

// append encodes the clock: the decided order of the times that the state still holds.
func (c *clock) append(buf []byte, held []macetime.Time) []byte {
	return c.model.AppendOrder(buf, held)
}

// retain lets the clock forget what was decided about times that the node does not hold any more.
func (w *machine) retain(n *node) {
	if n.service == nil {
		return
	}
	w.enc.Reset()
	w.enc.Add(w.planOf(n.service), n.service)
	n.clock.model.Retain(w.enc.Times())
}

// ticker is the macetime.Clock of a node.
type ticker struct{ e *env }

func (t *ticker) Now() macetime.Time {
	t.e.use("Clock.Now")
	now := t.e.n.clock.model.Now()
	if t.e.w.opts.Times != nil {
		t.e.w.opts.Times.Read(t.e.n.id, now)
	}
	return now
}

func (t *ticker) Before(a, b macetime.Time, weights ...int) bool {
	t.e.use("Clock.Before")
	if len(weights) != 0 && len(weights) != 2 {
		t.e.w.end(misuse("Clock.Before: weights must be none or two"))
	}
	m := &t.e.n.clock.model
	foreign := m.Foreign
	return m.Before(a, b, func([]int) int {
		kind := choose.Compare
		if m.Foreign > foreign {
			kind = choose.CompareForeign
		}
		if t.e.w.opts.Times != nil {
			t.e.w.opts.Times.Compare(t.e.n.id, a, b)
		}
		return t.e.ask(choose.Point{Kind: kind, Arity: 2, Weights: weights, Label: kind.Label()})
	})
}

func (t *ticker) Tick() macetime.MonotoneTime {
	t.e.use("Clock.Tick")
	return t.e.n.clock.model.Tick()
}
