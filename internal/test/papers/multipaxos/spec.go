package multipaxos

import (
	"fmt"
	"slices"

	"github.com/macemc/macemc/internal/test/papers/smr"
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/sim"
)

// setting has the parameters.
type setting struct {
	smr.Setting
	replicas, changes int
	bugs              bugs
}

// others returns the number of nodes other than replicas.
func (s setting) others() int { return s.Clients + 2 }

func (s setting) replica(i int) machine.ID { return s.Front() + 1 + machine.ID(i) }

// fail returns the number of replicas that may fail.
func (s setting) fail() int { return min(s.Failures, (s.replicas-1)/2) }

// halts returns the number of processes that may crash so that a majority of replicas remains.
func (s setting) halts() int {
	if !s.Crashes {
		return 0
	}
	if s.bugs.has(mp7) {
		return s.fail()
	}
	return min(s.Failures, (s.replicas-1)/2/s.process())
}

// process returns the number of replicas in each process. The others are a majority.
func (s setting) process() int {
	if s.bugs.has(mp7) {
		return s.Process
	}
	return max(1, min(s.Process, (s.replicas-1)/2))
}

// machines adds the clients, the front, the replicas, and the elector; or the clients and a single node.
func (s setting) machines(single bool) *machine.System {
	s.Single = single
	return s.Machines(s.others()+s.replicas, func(ms *machine.System) {
		failures := s.fail()
		if s.Crashes {
			failures = 0
		}
		add(ms, s.replicas, s.changes, failures, s.Service, s.bugs)
		smr.House(ms, s.replica(0), s.replicas, s.process())
	})
}

// Add adds Multi-Paxos to a system, the front first, then the replicas, then the elector, and returns its front.
// Less than half of the replicas fail.
func Add(ms *machine.System, replicas, changes, failures int, app smr.App) machine.ID {
	return add(ms, replicas, changes, min(failures, (replicas-1)/2), app, 0)
}

func add(ms *machine.System, replicas, changes, failures int, app smr.App, b bugs) machine.ID {
	front := ms.Add(frontKind, Front{})
	var ids []machine.ID
	for i := range replicas {
		ids = with(ids, front+1+machine.ID(i))
	}
	for range ids {
		ms.Add(replicaKind, Replica{Front: front, Replicas: ids, App: app, Bugs: b})
	}
	ms.Add(electorKind, Elector{Replicas: ids, Changes: changes, Failures: failures})
	return front
}

func (s setting) system() sim.System {
	return s.System("multipaxos", s.machines, s.replica(0), s.replicas, s.halts(),
		sim.Property{Name: "what is chosen stays", Always: s.stays, Explain: s.logs},
		sim.Property{Name: "replicas agree", Always: s.agree, Explain: s.logs},
		sim.Property{Name: "each command is executed once", Always: s.once, Explain: s.logs})
}

// up returns the replicas that have not failed.
func (s setting) up(v *sim.View) []*Replica { return smr.Up[Replica](v, s.replica(0), s.replicas) }

// stays is Lamport's P2b, restricted to replicas that are up: higher ballots have the chosen command.
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
