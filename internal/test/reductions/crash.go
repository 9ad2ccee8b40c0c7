package reductions

import (
	"math/rand/v2"

	"github.com/macemc/macemc/sim"
)

// Crashing makes nodes of a drawn system crash and halt and send at boot, with other properties.
func Crashing(r *rand.Rand, sys *sim.System) {
	sys.Crashes, sys.Halts = r.IntN(3), 0
	if r.IntN(3) == 0 || sys.Crashes == 0 {
		sys.Halts, sys.MayHalt = 1, nil
	}
	if r.IntN(3) > 0 {
		only := sim.NodeID(r.IntN(sys.Nodes))
		sys.MayCrash = func(id sim.NodeID) bool { return id == only }
	}
	p := sys.New(0).(*drawn).rules
	if r.IntN(3) == 0 {
		for range p.nodes {
			var to []int
			if r.IntN(2) == 0 {
				to = append(to, r.IntN(p.nodes))
			}
			p.boots = append(p.boots, to)
		}
	}
	a, b, count, few, up := sim.NodeID(r.IntN(p.nodes)), sim.NodeID(r.IntN(p.nodes)), 1+r.IntN(2), r.IntN(2) == 0, r.IntN(2) == 0
	sys.Properties = append(sys.Properties,
		sim.Property{Name: "flight", Always: func(v *sim.View) bool {
			s, _ := v.Service(a).(*drawn)
			n := 0
			for range v.InFlight() {
				n++
			}
			return s == nil || s.Count < count || few == (n < 2)
		}},
		sim.Property{Name: "down", Always: func(v *sim.View) bool {
			s, _ := v.Service(a).(*drawn)
			return s == nil || s.Count < count || (v.Service(b) != nil) == up
		}},
	)
}
