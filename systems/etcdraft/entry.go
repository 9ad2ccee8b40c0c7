package etcdraft

import (
	"fmt"

	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Names of the parameters.
const (
	writesParam    = "writes"
	readsParam     = "reads"
	keysParam      = "registers"
	campaignsParam = "campaigns"
	transfersParam = "transfers"
	changesParam   = "changes"
	smallestParam  = "smallest"
	stepDownParam  = "step-down"
	patienceParam  = "patience"
	preVoteParam   = "pre-vote"
	timeoutsParam  = "timeouts"
)

// options are the settings shared by all nodes of a system.
type options struct {
	keys     int
	voters   []uint64
	smallest int
	patience int
	stepDown bool
	preVote  bool
	timeouts bool
	bugs     bugs
}

// Entry describes the system.
func Entry() spec.Entry {
	count := func(name, value string, limit int, help string) spec.Param {
		return spec.Param{Name: name, Kind: spec.Int, Default: value, Max: limit, Help: help}
	}
	return spec.Entry{
		Name:    "etcdraft",
		Summary: "go.etcd.io/raft/v3 behind an adapter, with a replicated register and clients",
		Notes: "The library is unmodified. Its nodes keep log and hard state on disk, and apply everything again after a\n" +
			"restart; there are no snapshots. Elections and heartbeats are timers that may fire at any moment.",
		Params: []spec.Param{
			count(writesParam, "1", 4, "writes that the client of each node begins"),
			count(readsParam, "1", 4, "linearizable reads that the client of each node begins; 0: histories are not checked"),
			{Name: keysParam, Kind: spec.Int, Default: "1", Min: 1, Max: 3, Help: "number of registers"},
			count(campaignsParam, "1", 5, "campaigns of each node besides those of its timer"),
			count(transfersParam, "1", 3, "leadership transfers that each node begins"),
			count(changesParam, "1", 3, "changes of the membership that each node begins"),
			{Name: smallestParam, Kind: spec.Int, Default: "2", Min: 1, Max: 5,
				Help: "members that are never removed, see the package's documentation"},
			{Name: stepDownParam, Kind: spec.Bool, Default: "false", Help: "a removed leader steps down at once"},
			{Name: patienceParam, Kind: spec.Int, Default: "3", Min: 1, Max: 9,
				Help: "number of election time-outs without a message from a leader before a node campaigns"},
			{Name: preVoteParam, Kind: spec.Bool, Default: "false", Help: "candidates first ask whether they would get votes"},
			{Name: timeoutsParam, Kind: spec.Bool, Default: "true",
				Help: "elections, heartbeats and retries by timers; without them recovery is not checked"},
		},
		MinNodes: 1, MaxNodes: 5, DefaultNodes: 3,
		Limits: sim.Limits{sim.Crashes: 1, sim.Loss: 1, sim.Dup: 1},
		Bugs:   knownBugs(),
		Build:  build,
	}
}

func build(c spec.Config) (sim.System, error) {
	o := &options{
		keys: c.Int(keysParam), smallest: c.Int(smallestParam), patience: c.Int(patienceParam), stepDown: c.Bool(stepDownParam),
		preVote: c.Bool(preVoteParam), timeouts: c.Bool(timeoutsParam), bugs: spec.Bits[bugs](c.Bugs, knownBugs()),
	}
	for id := range sim.NodeID(c.Nodes) {
		o.voters = append(o.voters, idOf(id))
	}
	sys := sim.System{
		Nodes:      c.Nodes,
		NodeName:   func(id sim.NodeID) string { return fmt.Sprintf("raft %d", idOf(id)) },
		New:        func(sim.NodeID) sim.Service { return &Node{opts: o} },
		Network:    netsim.Datagrams{},
		Timing:     sim.AnyOrder,
		State:      rules(),
		Monitors:   []func() sim.Monitor{newLeaders, newCommitted},
		Properties: properties(o),
	}
	if c.Int(readsParam) > 0 {
		sys.Monitors = append(sys.Monitors, newHistory)
	}
	for _, a := range []struct {
		param, name string
		when        func(*Node) bool
		do          func(*Node, sim.Env)
	}{
		{campaignsParam, "campaign", func(n *Node) bool { return !n.leads() }, (*Node).Campaign},
		{writesParam, "write", (*Node).idle, (*Node).Write},
		{readsParam, "read", (*Node).idle, (*Node).Read},
		{transfersParam, "transfer", (*Node).leads, (*Node).Transfer},
		{changesParam, "reconfigure", (*Node).leads, (*Node).Reconfigure},
	} {
		if times := c.Int(a.param); times > 0 {
			sys.Actions = append(sys.Actions, sim.Action[*Node]{Name: a.name, Times: times, When: a.when, Do: a.do})
		}
	}
	return sys, nil
}
