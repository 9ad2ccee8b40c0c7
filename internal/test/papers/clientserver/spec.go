package clientserver

import (
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/sim"
)

// bank is a monitor: the reported balances are correct, and no withdrawal within the balance is refused.
type bank struct {
	Balances []int
	Asked    []Withdraw // by account
}

var bankKind = machine.Define[bank]("the balance is always correct", machine.In("watching",
	machine.On(func(b *bank, _ *machine.Ctx, s machine.Sent[Withdraw]) { b.Asked[s.Event.Account] = s.Event }),
	machine.On((*bank).withdrawn)))

func (b *bank) withdrawn(x *machine.Ctx, s machine.Sent[Withdrawn]) {
	w, have := s.Event, b.Balances[s.Event.Account]
	left := have - b.Asked[w.Account].Amount
	x.Assert(w.ID == b.Asked[w.Account].ID, "request %d is answered, which was not asked", w.ID)
	x.Assert(w.OK == (left >= Least), "withdrawal of %d from %d: accepted is %v", b.Asked[w.Account].Amount, have, w.OK)
	x.Assert(w.OK && w.Balance == left || !w.OK && w.Balance == have, "the balance was %d, the bank says %d", have, w.Balance)
	b.Balances[w.Account] = w.Balance
}

// machines adds a bank and its clients.
func machines(clients, money, withdrawals int, b bugs) *machine.System {
	ms := &machine.System{}
	balances := make([]int, clients)
	for i := range balances {
		balances[i] = money
	}
	server := ms.Add(serverKind, Server{Database: 1, Bugs: b})
	ms.Add(databaseKind, Database{server, balances})
	for i := range clients {
		ms.Add(clientKind, Client{Server: server, Account: i, Money: money, Next: 1, Last: withdrawals})
	}
	ms.Monitor(bankKind, bank{balances, make([]Withdraw, clients)})
	machine.EachAnswered(ms, "every withdrawal is answered",
		func(w Withdraw) int { return w.ID }, func(w Withdrawn) int { return w.ID })
	return ms
}

func properties() []sim.Property {
	done := func(v *sim.View) bool {
		for id := range sim.Nodes[*machine.Host](v) {
			if s := machine.StateOf(v, id); id > 1 && s != idle {
				return false
			}
		}
		return true
	}
	return []sim.Property{{Name: "every client comes to an end", Eventually: done}}
}
