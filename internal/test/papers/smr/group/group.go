// Package group adds replicated state machines, or single nodes in their place, to systems.
package group

import (
	"fmt"

	"github.com/macemc/macemc/internal/test/papers/chain"
	"github.com/macemc/macemc/internal/test/papers/multipaxos"
	"github.com/macemc/macemc/internal/test/papers/smr"
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Kinds of groups.
const (
	single = "single"
	chains = "chain"
	paxos  = "paxos"
)

// Group is a replicated state machine, or a single node.
type Group struct {
	By                 string
	Replicas, Failures int
}

// Params returns the parameters of a Group; what names the replicated thing.
func Params(name, what string) []spec.Param {
	return []spec.Param{
		{Name: name, Kind: spec.OneOf, Values: []string{single, chains, paxos}, Default: single, Help: "what " + what + " runs on"},
		{Name: "failures", Kind: spec.Int, Default: "1", Min: 0, Max: 3,
			Help: "number of replicas of " + what + " that fail; the others must suffice"},
	}
}

// Of returns the Group of a configuration that takes so many nodes.
func Of(c spec.Config, name string, nodes int) Group {
	g := Group{By: c.Text(name), Failures: c.Int("failures")}
	g.Replicas = nodes - g.Nodes()
	return g
}

// Nodes returns the number of nodes of a group. A replicated one has the front, which clients ask, the replicas,
// and the injector. A single node takes as many as a chain.
func (g Group) Nodes() int {
	if g.By != paxos && g.Failures == 0 {
		return 1 + g.Replicas
	}
	return 2 + g.Replicas
}

// Single reports whether a single node replaces the replicas.
func (g Group) Single() bool { return g.By == single }

// Add adds a group, and returns the machine that its clients ask.
func (g Group) Add(ms *machine.System, app smr.App) machine.ID {
	switch g.By {
	case chains:
		return chain.Add(ms, g.Replicas, g.Failures, app)
	case paxos:
		return multipaxos.Add(ms, g.Replicas, 0, g.Failures, app)
	default:
		id := ms.Add(smr.SingleKind, smr.SingleNode{App: app})
		smr.Fill(ms, id+1, int(id)+g.Nodes())
		return id
	}
}

// Apps returns the copies of the replicated state that have not failed.
func (g Group) Apps(v *sim.View, front machine.ID) (apps []smr.App) {
	switch g.By {
	case chains:
		for _, r := range smr.Up[chain.Replica](v, front+1, g.Replicas) {
			apps = append(apps, r.App)
		}
	case paxos:
		for _, r := range smr.Up[multipaxos.Replica](v, front+1, g.Replicas) {
			apps = append(apps, r.App)
		}
	}
	for _, s := range smr.Up[smr.SingleNode](v, front, 1) { // in the place of the front
		apps = append(apps, s.App)
	}
	return apps
}

// Kinds returns the kinds of all machines of groups.
func Kinds() []*machine.Kind {
	return append(append(chain.Kinds(), multipaxos.Kinds()...), smr.SingleKind, smr.IdleKind)
}

// Abstraction compares the single node with its replicated form, with clients that request some of the operations.
// By default that is a chain.
func (g Group) Abstraction(app smr.App, ops []smr.Op) sim.Abstraction {
	const clients, each = 2, 1
	among := func(g Group, name string) sim.System {
		ms := &machine.System{}
		for i := range clients {
			ms.Add(smr.AnyoneKind, smr.Anyone{Service: clients, Ops: ops, First: smr.MaxRequests*i + 1, Left: each})
		}
		g.Add(ms, app)
		return ms.Sim(name)
	}
	one, many := g, g
	if one.By = single; g.Single() {
		many.By = chains
	}
	return sim.Abstraction{
		Name: fmt.Sprintf("a single node for each %s, among %d clients with %d operation each", many.By, clients, each), Used: g.Single(),
		Clients: []sim.NodeID{0, 1},
		Impl:    func() sim.System { return among(many, many.By) },
		Abs:     func() sim.System { return among(one, "a single node") },
	}
}
