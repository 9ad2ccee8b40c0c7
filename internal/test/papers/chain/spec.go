package chain

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
	replicas int
	bugs     bugs
}

func (s setting) nodes() int {
	if s.Failures == 0 || s.Crashes {
		return s.Clients + 1 + s.replicas
	}
	return s.Clients + 2 + s.replicas
}

// halts returns the number of processes that may crash; one remains.
func (s setting) halts() int {
	if !s.Crashes {
		return 0
	}
	return max(0, min(s.Failures, (s.replicas-1)/max(1, s.Process)))
}

func (s setting) replica(i int) machine.ID { return s.Front() + 1 + machine.ID(i) }

// machines adds the clients, the front, the replicas, and the injector; or the clients and a single node.
func (s setting) machines(single bool) *machine.System {
	s.Single = single
	failures := s.Failures
	if s.Crashes {
		failures = 0
	}
	return s.Machines(s.nodes(), func(ms *machine.System) {
		add(ms, s.replicas, failures, s.Service, s.bugs)
		smr.House(ms, s.replica(0), s.replicas, s.Process)
	})
}

// Add adds a chain to a system, the front first, then the replicas, and returns its front. With failures > 0 it
// adds an injector, which makes that many replicas fail.
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
		ms.Add(smr.InjectorKind, smr.Injector{Victims: slices.Clone(f.Chain), Left: min(failures, replicas-1)})
	}
	return front
}

func (s setting) system() sim.System {
	return s.System("chain", s.machines, s.replica(0), s.replicas, s.halts(),
		sim.Property{Name: "histories agree", Always: s.agree, Explain: s.histories},
		sim.Property{Name: "what was answered is not lost", Always: s.kept, Explain: s.histories},
		sim.Property{Name: "each command is executed once", Always: s.once, Explain: s.histories})
}

// up returns the replicas that have not failed, from the head on.
func (s setting) up(v *sim.View) []*Replica { return smr.Up[Replica](v, s.replica(0), s.replicas) }

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
	f := machine.Vars[Front](v, s.Front())
	return f == nil || !slices.ContainsFunc(s.up(v), func(r *Replica) bool { return len(r.History) < f.Passed })
}

// once checks the last command, since each state in which a history has grown is checked.
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
