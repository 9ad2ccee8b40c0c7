package clientserver

import (
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Entry describes the system.
func Entry() spec.Entry {
	return spec.Entry{
		Name:    "clientserver",
		Summary: "machines: clients withdraw money from a bank that keeps its accounts in a database",
		Notes:   "Node 0 is the bank's server, node 1 its database, the others are clients with an account each.",
		Params: []spec.Param{
			{Name: "money", Kind: spec.Int, Default: "12", Min: 10, Max: 20, Help: "initial balance of each account"},
			{Name: "withdrawals", Kind: spec.Int, Default: "2", Min: 1, Max: 5, Help: "number of withdrawals of each client"},
		},
		MinNodes: 3, MaxNodes: 6, DefaultNodes: 4,
		Bugs:     knownBugs(),
		Messages: machine.Events(serverKind, databaseKind, clientKind),
		Build: func(c spec.Config) (sim.System, error) {
			sys := machines(c.Nodes-2, c.Int("money"), c.Int("withdrawals"), spec.Bits[bugs](c.Bugs, knownBugs())).Sim("clientserver")
			sys.Properties = properties()
			return sys, nil
		},
	}
}

// bugs is a set of defects, by their index in knownBugs.
type bugs uint8

const (
	cs1 bugs = 1 << iota
	cs2
)

func (b bugs) has(which bugs) bool { return b&which != 0 }

func knownBugs() []spec.Bug {
	return []spec.Bug{
		{
			ID:      "CS1",
			Summary: "the bank refuses a withdrawal that leaves exactly the minimum balance",
			Shows:   "a client is refused money that it has",
			Fix:     "compare with >=",
			Kind:    sim.Safety, PaperKind: sim.Safety,
		},
		{
			ID:      "CS2",
			Summary: "the bank does not update the database after a withdrawal",
			Shows:   "the balance goes up again",
			Fix:     "update the database before the client is answered",
			Kind:    sim.Safety, PaperKind: sim.Safety,
		},
	}
}
