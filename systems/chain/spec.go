package chain

import (
	"fmt"
	"slices"
	"time"

	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/smr"
)

// setting is what there is to choose.
type setting struct {
	clients, requests, replicas, failures int
	single                                bool
	crashes                               bool // replicas crash, in place of failing by what they are told
	pause                                 time.Duration
	bugs                                  bugs
}

func (s setting) nodes() int {
	if s.failures == 0 || s.crashes {
		return s.clients + 1 + s.replicas
	}
	return s.clients + 2 + s.replicas
}

// halts is how many replicas crash.
func (s setting) halts() int {
	if !s.crashes {
		return 0
	}
	return max(0, min(s.failures, s.replicas-1))
}

func (s setting) front() machine.ID { return machine.ID(s.clients) }

func (s setting) replica(i int) machine.ID { return s.front() + 1 + machine.ID(i) }

// machines are the clients, the front, the replicas, and what has them fail; or the clients and a single node.
func (s setting) machines() *machine.System {
	ms := &machine.System{}
	smr.AddClients(ms, s.clients, s.requests, s.front(), s.pause)
	if s.single {
		smr.Fill(ms, ms.Add(smr.SingleKind, smr.SingleNode{App: smr.Counter{}})+1, s.nodes())
	} else if s.crashes {
		ms.Streams = &netsim.Streams{Buffer: 1000}
		add(ms, s.replicas, 0, smr.Counter{}, s.bugs)
	} else {
		add(ms, s.replicas, s.failures, smr.Counter{}, s.bugs)
	}
	return ms
}

// Add adds a chain to a system, the front first, then the replicas, and returns its front. Failures are how many replicas fail; with some there is one machine more,
// which has them fail.
func Add(ms *machine.System, replicas, failures int, app smr.App) machine.ID {
	return add(ms, replicas, failures, app, 0)
}

func add(ms *machine.System, replicas, failures int, app smr.App, b bugs) machine.ID {
	front := ms.Add(frontKind, Front{Bugs: b})
	f := Front{Bugs: b}
	for i := range replicas {
		r := Replica{Front: front, Pred: none, Succ: none, App: app, Bugs: b}
		id := front + 1 + machine.ID(i)
		if i > 0 {
			r.Pred = id - 1
		}
		if i < replicas-1 {
			r.Succ = id + 1
		}
		f.Chain = append(f.Chain, ms.Add(replicaKind, r))
	}
	f.Chain = slices.Clip(f.Chain)
	ms.Set(front, f)
	if failures > 0 {
		ms.Add(injectorKind, Injector{slices.Clone(f.Chain), min(failures, replicas-1)})
	}
	return front
}

func (s setting) system() sim.System {
	sys := s.machines().Sim("chain")
	sys.Properties = []sim.Property{{Name: "every client comes to an end", Eventually: smr.Ended(s.clients)}}
	if !s.single {
		sys.Properties = append(sys.Properties,
			sim.Property{Name: "histories agree", Always: s.agree, Explain: s.histories},
			sim.Property{Name: "what was answered is not lost", Always: s.kept, Explain: s.histories},
			sim.Property{Name: "each command is executed once", Always: s.once, Explain: s.histories})
	}
	if s.crashes {
		sys.Halts = s.halts()
		sys.MayHalt = func(id sim.NodeID) bool { return id >= s.replica(0) }
		return sys
	}
	one, many := s, s
	one.single, many.single = true, false
	clients := make([]sim.NodeID, s.clients)
	for i := range clients {
		clients[i] = sim.NodeID(i)
	}
	sys.Abstractions = []sim.Abstraction{{
		Name: fmt.Sprintf("a single node, among %d clients with %d commands each", s.clients, s.requests), Used: s.single, Clients: clients,
		Impl: func() sim.System { return many.machines().Sim("chain") },
		Abs:  func() sim.System { return one.machines().Sim("a single node") },
	}}
	return sys
}

// up are the replicas that have not failed, from the head on.
func (s setting) up(v *sim.View) (up []*Replica) {
	for i := range s.replicas {
		if r := machine.Vars[Replica](v, s.replica(i)); r != nil {
			up = append(up, r)
		}
	}
	return up
}

func (s setting) agree(v *sim.View) bool {
	up := s.up(v)
	for i, r := range up {
		for _, later := range up[i+1:] {
			if len(later.History) > len(r.History) || !slices.Equal(later.History, r.History[:len(later.History)]) {
				return false
			}
		}
	}
	return true
}

func (s setting) kept(v *sim.View) bool {
	f := machine.Vars[Front](v, s.front())
	return f == nil || !slices.ContainsFunc(s.up(v), func(r *Replica) bool { return len(r.History) < f.Passed })
}

// once looks at the command that came last, as each state in which a history has grown is looked at.
func (s setting) once(v *sim.View) bool {
	return !slices.ContainsFunc(s.up(v), func(r *Replica) bool {
		n := len(r.History)
		return n > 1 && slices.Contains(r.History[:n-1], r.History[n-1])
	})
}

func (s setting) histories(v *sim.View) string {
	text := ""
	for i := range s.replicas {
		if r := machine.Vars[Replica](v, s.replica(i)); r != nil {
			text += fmt.Sprintf("replica%d:", s.replica(i))
			for _, c := range r.History {
				text += fmt.Sprintf(" %d", c.ID)
			}
			text += "; "
		}
	}
	return text
}
