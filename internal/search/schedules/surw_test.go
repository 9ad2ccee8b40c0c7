package schedules

import (
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// tiny is a world of actions.
type tiny struct {
	kernel.World
	sys  sim.System
	last stepinfo.Step
}

func (w *tiny) System() *sim.System  { return &w.sys }
func (w *tiny) Last() *stepinfo.Step { return &w.last }

// Node 0 has one action and node 1 has two. If both are selected and the numbers are estimated correctly, the three
// orders are equally probable, also among the independent actions of node 2. A uniform draw among enabled events would
// take node 0 first in half of the runs.
func TestSURW_UniformOrders(t *testing.T) {
	w := &tiny{sys: sim.System{Nodes: 3}}
	action := func(n sim.NodeID) netmodel.Event { return netmodel.Event{Kind: eventkind.DoAction, Node: n} }
	s := &surw{Base: &Base{Scale: NewScale(map[string]int{"action": 1})}}
	a, b, c := eventWord(&[]netmodel.Event{action(0)}[0]), eventWord(&[]netmodel.Event{action(1)}[0]), eventWord(&[]netmodel.Event{action(2)}[0])
	for _, independent := range []bool{false, true} {
		orders, all := map[string]int{}, 0
		var r choose.Random
		for stream := range uint64(200_000) {
			r.Seed(1, stream)
			s.Begin(&r, w, 10)
			if !s.selects(a) || !s.selects(b) || independent && s.selects(c) || s.estimate(a) != 1 || s.estimate(b) != 2 {
				continue
			}
			order, left := "", [3]int{1, 2, 0}
			for left[0]+left[1] > 0 {
				var events []netmodel.Event
				for n := range sim.NodeID(3) {
					if left[n] > 0 || independent && n == 2 {
						events = append(events, action(n))
					}
				}
				w.last.Event = events[s.Next(w, events)]
				if n := w.last.Event.Node; n < 2 {
					order += string(rune('a' + n))
					left[n]--
				}
			}
			orders[order]++
			all++
		}
		if len(orders) != 3 || all < 500 {
			t.Fatalf("independent %v: %d runs, %v", independent, all, orders)
		}
		for order, n := range orders {
			if share := float64(n) / float64(all); share < 0.30 || share > 0.37 {
				t.Errorf("independent %v: %s in %d of %d runs, want a third", independent, order, n, all)
			}
		}
	}
}
