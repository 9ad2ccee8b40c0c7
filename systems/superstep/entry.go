package superstep

import (
	"fmt"

	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Entry describes the system.
func Entry() spec.Entry {
	return spec.Entry{
		Name:    "superstep",
		Summary: "members search a graph together in supersteps, and may lose everything but their replicated logs",
		Notes: "Node 0 is the store, which does not crash; the others are members, one of which leads.\n" +
			"Timers may fire at any moment: a member may seem silent, or a lease expire, at the worst time.",
		Params: []spec.Param{
			{Name: "forgets", Kind: spec.Int, Default: "0", Min: 0, Max: 4, Help: "how often the store loses the acknowledged end of a log"},
			{Name: "leaves", Kind: spec.Int, Default: "0", Min: 0, Max: 3, Help: "how many members may hand over their parts and end; not all"},
		},
		MinNodes: 2, MaxNodes: 4, DefaultNodes: 3,
		Limits: sim.Limits{sim.Crashes: 1, sim.Loss: 1, sim.Dup: 1},
		Bugs:   knownBugs(),
		Messages: []any{Claim{}, Release{}, Granted{}, Swap{}, Swapped{}, Append{}, Read{}, Log{}, Hello{}, Go{}, Batch{}, Ended{},
			Done{}, Lost{}, Numbered{}},
		Build: build,
	}
}

func build(c spec.Config) (sim.System, error) {
	set := spec.Bits[bugs](c.Bugs, knownBugs())
	sys := sim.System{
		Nodes: c.Nodes,
		New: func(id sim.NodeID) sim.Service {
			if id == 0 {
				return &Store{bugs: set}
			}
			return &Member{Worker: Worker{Data: &Letters{bugs: set}, bugs: set}}
		},
		Network:    netsim.Datagrams{},
		MayCrash:   func(id sim.NodeID) bool { return id != 0 },
		Timing:     sim.AnyOrder,
		Properties: properties(),
	}
	if n := c.Int("forgets"); n > 0 {
		sys.Actions = append(sys.Actions, sim.Action[*Store]{Name: "the store forgets", Times: n, When: (*Store).mayForget,
			Do: (*Store).forget, Disturbs: true})
	}
	if n := c.Int("leaves"); n > 0 {
		if n >= c.Nodes-1 {
			return sys, fmt.Errorf("%d of %d members may leave (--set leaves=%d): none would remain", n, c.Nodes-1, n)
		}
		sys.Actions = append(sys.Actions, sim.Action[*Member]{Name: "a member leaves", Times: 1, When: (*Member).mayLeave,
			Do: (*Member).Leave, Disturbs: true,
			At: func(id sim.NodeID) bool { return int(id) >= c.Nodes-n }})
	}
	return sys, nil
}
