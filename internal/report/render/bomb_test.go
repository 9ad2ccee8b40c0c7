package render_test

import "github.com/macemc/macemc/sim"

// bomb is a service that fails in every possible way.
type bomb struct {
	sim.Nop
	Fuse int
}

func (b *bomb) light(sim.Env) {
	b.Fuse++
	if b.Fuse == 2 {
		explode(b, nil)
	}
}

func explode(b *bomb, m map[int]int) { m[b.Fuse] = 1 }

func bombs(properties ...sim.Property) *sim.System {
	return &sim.System{
		Name: "bomb", Nodes: 1, New: func(sim.NodeID) sim.Service { return &bomb{} },
		Actions:    []sim.AnyAction{sim.Action[*bomb]{Name: "light", Times: 2, Do: (*bomb).light}},
		Properties: properties,
	}
}
