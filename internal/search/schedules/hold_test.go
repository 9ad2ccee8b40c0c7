package schedules

import (
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// During a hold, held events happen only if nothing else can. Each kind of hold occurs, for at most 64 steps.
func TestHold(t *testing.T) {
	const nodes = 3
	w := &tiny{sys: sim.System{Nodes: nodes}}
	var all []netmodel.Event
	for n := range sim.NodeID(nodes) {
		all = append(all, netmodel.Event{Kind: eventkind.FireTimer, Node: n, Peer: -1})
		for peer := range sim.NodeID(nodes) {
			all = append(all, netmodel.Event{Kind: eventkind.Deliver, Node: n, Peer: peer, Slot: -1})
		}
	}
	s := &hold{Base: &Base{Scale: NewScale(map[string]int{"message": 1, "timer": 1})}}
	var r choose.Random
	r.Seed(1, 1)
	kinds := map[string]int{}
	stretch, acted := 0, 0
	for range 200 {
		s.Begin(&r, w, 100)
		for range 500 {
			before := s.holds
			ev := &all[s.Next(w, all)]
			w.last.Event = *ev
			if stretch++; !s.holds || !before {
				stretch = 0
			}
			if stretch > mostHold {
				t.Fatalf("a hold of %d steps", stretch)
			}
			if !s.holds {
				continue
			}
			if s.held(ev) {
				t.Fatalf("%+v happens although it is held: %+v", ev, s)
			}
			switch {
			case s.whole:
				kinds["node"]++
			case s.others:
				kinds["others"]++
			case s.peer >= 0:
				kinds["link"]++
			default:
				kinds["inbox"]++
				if ev.Kind == eventkind.FireTimer && ev.Node == s.node {
					acted++
				}
			}
		}
	}
	if len(kinds) != 4 || acted == 0 {
		t.Errorf("holds by step: %v; a node acted %d times while its inbox was held", kinds, acted)
	}
	s.holds, s.left, s.node, s.peer, s.others, s.whole = true, 10, 0, -1, false, false
	if at := s.Next(w, all[1:2]); at != 0 || s.holds {
		t.Errorf("event %d where only a held one can happen, and the hold goes on: %v", at, s.holds)
	}
}
