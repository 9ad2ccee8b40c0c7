package ftcommit

import (
	"fmt"

	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/chain"
	"github.com/macemc/macemc/systems/smr"
)

// anyone is a client that asks for any operations on any of the transactions, without waiting for answers.
type anyone struct {
	Participant  machine.ID
	Transactions int
	First, Left  int
}

var anyoneKind = machine.Define[anyone]("client",
	machine.In("asking", machine.Null((*anyone).ask, "asked"), machine.Ignore(smr.Response{})),
	machine.In("asked", machine.Ignore(smr.Response{})))

func (a *anyone) ask(x *machine.Ctx) {
	do := [...]string{prepare, commit, abort}[x.Choose("operation", 3)]
	x.Send(a.Participant, smr.Request{Client: x.Self(), ID: a.First, Op: smr.Op{Do: do, Key: 1 + x.Choose("transaction", a.Transactions)}})
	a.First++
	if a.Left--; a.Left == 0 {
		x.Goto("asked")
	}
}

// Clients of a comparison, and what each asks for.
const (
	clients    = 2
	operations = 1
)

// among is one participant among clients that do anything.
func (s setting) among(single bool) sim.System {
	ms := &machine.System{}
	for i := range clients {
		ms.Add(anyoneKind, anyone{clients, s.coordinators, 100*i + 1, operations})
	}
	app := Participant{Bugs: s.bugs}
	if single {
		ms.Add(smr.SingleKind, smr.SingleNode{App: app})
		return ms.Sim("a single node")
	}
	chain.Add(ms, s.replicas, s.failures, app)
	return ms.Sim("a chain")
}

func (s setting) abstraction() sim.Abstraction {
	return sim.Abstraction{
		Name: fmt.Sprintf("a single node for each chain, among %d clients with %d operation each", clients, operations), Used: s.single, Clients: []sim.NodeID{0, 1},
		Impl: func() sim.System { return s.among(false) },
		Abs:  func() sim.System { return s.among(true) },
	}
}
