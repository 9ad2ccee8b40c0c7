package multipaxos

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
	clients, requests, replicas int
	changes, failures           int
	single, crashes             bool
	pause                       time.Duration
	bugs                        bugs
}

// others are the nodes that are no replicas.
func (s setting) others() int { return s.clients + 2 }

func (s setting) front() machine.ID { return machine.ID(s.clients) }

func (s setting) replica(i int) machine.ID { return s.front() + 1 + machine.ID(i) }

// fail is how many replicas may fail.
func (s setting) fail() int { return min(s.failures, (s.replicas-1)/2) }

func (s setting) halts() int {
	if s.crashes {
		return s.fail()
	}
	return 0
}

// machines are the clients, the front, the replicas, and the elector; or the clients and a single node.
func (s setting) machines() *machine.System {
	ms := &machine.System{}
	smr.AddClients(ms, s.clients, s.requests, s.front(), s.pause)
	if s.single {
		smr.Fill(ms, ms.Add(smr.SingleKind, smr.SingleNode{App: smr.Counter{}})+1, s.others()+s.replicas)
		return ms
	}
	if s.crashes {
		ms.Streams = &netsim.Streams{Buffer: 1000}
	}
	ms.Add(frontKind, Front{})
	var ids []machine.ID
	for i := range s.replicas {
		ids = with(ids, s.replica(i))
	}
	for range ids {
		ms.Add(replicaKind, Replica{Front: s.front(), Replicas: ids, App: smr.Counter{}, Bugs: s.bugs})
	}
	ms.Add(electorKind, Elector{Replicas: ids, Changes: s.changes, Failures: s.fail() - s.halts()})
	return ms
}

func (s setting) system() sim.System {
	sys := s.machines().Sim("multipaxos")
	sys.Properties = []sim.Property{{Name: "every client comes to an end", Eventually: smr.Ended(s.clients)}}
	if !s.single {
		sys.Properties = append(sys.Properties,
			sim.Property{Name: "what is chosen stays", Always: s.stays, Explain: s.logs},
			sim.Property{Name: "replicas agree", Always: s.agree, Explain: s.logs},
			sim.Property{Name: "each command is executed once", Always: s.once, Explain: s.logs})
	}
	if s.crashes {
		sys.Halts = s.halts()
		sys.MayHalt = func(id sim.NodeID) bool { return id >= s.replica(0) && id < s.replica(s.replicas) }
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
		Impl: func() sim.System { return many.machines().Sim("multipaxos") },
		Abs:  func() sim.System { return one.machines().Sim("a single node") },
	}}
	return sys
}

// up are the replicas that have not failed.
func (s setting) up(v *sim.View) (up []*Replica) {
	for i := range s.replicas {
		if r := machine.Vars[Replica](v, s.replica(i)); r != nil {
			up = append(up, r)
		}
	}
	return up
}

// stays is Lamport's P2b, as far as replicas that are up still have what was chosen: higher ballots have the same.
func (s setting) stays(v *sim.View) bool {
	up := s.up(v)
	for _, r := range up {
		for slot, e := range r.Log {
			have, differs := 0, false
			for _, o := range up {
				if slot < len(o.Log) {
					if o.Log[slot] == e {
						have++
					}
					differs = differs || o.Log[slot].Ballot > e.Ballot && o.Log[slot].Command != e.Command
				}
			}
			if e.Ballot > 0 && differs && 2*have > s.replicas {
				return false
			}
		}
	}
	return true
}

func (s setting) agree(v *sim.View) bool {
	up := s.up(v)
	for i, r := range up {
		for _, o := range up[i+1:] {
			for slot := range min(len(r.Chosen), len(o.Chosen)) {
				if r.known(slot) && o.known(slot) && r.Chosen[slot].Command != o.Chosen[slot].Command {
					return false
				}
			}
		}
	}
	return true
}

func (s setting) once(v *sim.View) bool {
	return !slices.ContainsFunc(s.up(v), func(r *Replica) bool {
		for i, d := range r.Answers {
			if slices.ContainsFunc(r.Answers[:i], func(o Done) bool { return o.Response.ID == d.Response.ID }) {
				return true
			}
		}
		return false
	})
}

func (s setting) logs(v *sim.View) string {
	text := ""
	for i := range s.replicas {
		if r := machine.Vars[Replica](v, s.replica(i)); r != nil {
			text += fmt.Sprintf("replica%d:", s.replica(i))
			for slot, e := range r.Log {
				text += fmt.Sprintf(" %d", e.Command.ID)
				if r.known(slot) {
					text += fmt.Sprintf(" (chosen: %d)", r.Chosen[slot].Command.ID)
				}
			}
			text += "; "
		}
	}
	return text
}
