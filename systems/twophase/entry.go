package twophase

import (
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// MaxParticipants is the largest number of participants.
const MaxParticipants = 8

// Entry describes the system.
func Entry() spec.Entry {
	return spec.Entry{
		Name:    "twophase",
		Summary: "two-phase commit: a coordinator and its participants commit together or not at all",
		Notes: "Node 0 is the coordinator, the others are participants. The time-out may strike at any moment.\n" +
			"Nothing is resent except after a restart: lost datagrams (--loss) leave participants in doubt.",
		MinNodes: 2, MaxNodes: 1 + MaxParticipants, DefaultNodes: 4,
		Limits:   sim.Limits{sim.Crashes: 1},
		Bugs:     knownBugs(),
		Messages: []any{Prepare{}, Vote{}, Decision{}, Query{}},
		Build:    build,
	}
}

func build(c spec.Config) (sim.System, error) {
	set := spec.Bits[bugs](c.Bugs, knownBugs())
	return sim.System{
		Nodes: c.Nodes,
		New: func(id sim.NodeID) sim.Service {
			if id == 0 {
				return &Coordinator{bugs: set}
			}
			return &Participant{bugs: set}
		},
		Network: netsim.Datagrams{},
		Timing:  sim.AnyOrder,
		Actions: []sim.AnyAction{sim.Action[*Coordinator]{
			Name: "begin",
			When: func(c *Coordinator) bool { return !c.Voting && c.Outcome == Undecided },
			Do:   (*Coordinator).Begin,
		}},
		Properties: properties(),
	}, nil
}
