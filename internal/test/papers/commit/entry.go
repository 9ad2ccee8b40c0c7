package commit

import (
	"fmt"

	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Entry describes the system.
func Entry() spec.Entry {
	return spec.Entry{
		Name:    "commit",
		Summary: "machines: two-phase commit with clients that read what they wrote",
		Notes:   "The first nodes are participants, then comes the coordinator, then the clients. The timer may fire at any moment.",
		Params: []spec.Param{
			{Name: "clients", Kind: spec.Int, Default: "2", Min: 1, Max: 3, Help: "number of clients"},
			{Name: "writes", Kind: spec.Int, Default: "1", Min: 1, Max: 99, Help: "number of transactions of each client"},
			{Name: "values", Kind: spec.Int, Default: "2", Min: 1, Max: 4, Help: "number of different values"},
			{Name: "over", Kind: spec.OneOf, Default: "queues", Values: []string{"queues", "streams"}, Help: "kind of network"},
		},
		MinNodes: 4, MaxNodes: 8, DefaultNodes: 5,
		Bugs:     knownBugs(),
		Messages: machine.Events(coordinatorKind, participantKind, clientKind),
		Build: func(c spec.Config) (sim.System, error) {
			clients := c.Int("clients")
			participants := c.Nodes - 1 - clients
			if participants < 1 {
				return sim.System{}, fmt.Errorf("%d nodes are too few for %d clients, a coordinator and a participant", c.Nodes, clients)
			}
			ms := machines(participants, clients, c.Int("writes"), c.Int("values"), spec.Bits[bugs](c.Bugs, knownBugs()))
			if c.Text("over") == "streams" {
				ms.Streams = &netsim.Streams{Buffer: 20}
			}
			sys := ms.Sim("commit")
			sys.Properties = properties(participants)
			return sys, nil
		},
	}
}

// bugs is a set of defects, by their index in knownBugs.
type bugs uint8

const (
	pc1 bugs = 1 << iota
	pc2
	pc3
)

func (b bugs) has(which bugs) bool { return b&which != 0 }

func knownBugs() []spec.Bug {
	safety := func(id, summary, shows, fix string) spec.Bug {
		return spec.Bug{ID: id, Summary: summary, Shows: shows, Fix: fix, Kind: sim.Safety, PaperKind: sim.Safety}
	}
	stale := safety("PC3", "votes on the previous transaction are counted", "a transaction is committed without agreement of all",
		"compare the transaction")
	stale.Defaults.Params = map[string]string{"clients": "1", "writes": "2"}
	stale.Defaults.Nodes = 4
	return []spec.Bug{
		safety("PC1", "each client expects to read its own writes, although others write, too", "the assertion fails",
			"expect that only with a single client"),
		safety("PC2", "the coordinator commits as soon as one participant has agreed", "not all have agreed",
			"count to the number of participants"),
		stale,
	}
}
