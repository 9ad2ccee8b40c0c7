package ftcommit

import (
	"slices"

	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/chain"
	"github.com/macemc/macemc/systems/smr"
)

// setting is what there is to choose.
type setting struct {
	coordinators, participants, replicas, failures int
	single                                         bool
	bugs                                           bugs
}

// chained is how many machines a chain takes.
func (s setting) chained() int {
	if s.failures == 0 {
		return 1 + s.replicas
	}
	return 2 + s.replicas
}

// participant is the single node of one, or the front of its chain.
func (s setting) participant(i int) machine.ID {
	if s.single {
		return machine.ID(s.coordinators + i)
	}
	return machine.ID(s.coordinators + i*s.chained())
}

// machines are the coordinators, and then the participants.
func (s setting) machines() *machine.System {
	ms := &machine.System{}
	var participants []machine.ID
	for i := range s.participants {
		participants = append(participants, s.participant(i))
	}
	for i := range s.coordinators {
		ms.Add(coordinatorKind, Coordinator{Participants: slices.Clip(participants), Transaction: i + 1, Bugs: s.bugs})
	}
	for range s.participants {
		if s.single {
			ms.Add(smr.SingleKind, smr.SingleNode{App: Participant{Bugs: s.bugs}})
		} else {
			chain.Add(ms, s.replicas, s.failures, Participant{Bugs: s.bugs})
		}
	}
	if s.single {
		smr.Fill(ms, s.participant(s.participants), s.coordinators+s.participants*s.chained())
	}
	return ms
}

func (s setting) system() sim.System {
	ms := s.machines()
	machine.EachAnswered(ms, "every operation is answered", func(r smr.Request) int { return r.ID }, func(r smr.Response) int { return r.ID })
	sys := ms.Sim("ftcommit")
	sys.Properties = []sim.Property{
		{Name: "atomicity", Always: s.atomic},
		{Name: "every coordinator comes to an end", Eventually: s.ended},
		{Name: "something is committed", Sometimes: func(v *sim.View) bool { return len(s.apps(v, 0)) > 0 && len(s.apps(v, 0)[0].Committed) > 0 }},
	}
	sys.Abstractions = []sim.Abstraction{s.abstraction()}
	return sys
}

// apps are the copies of a participant that have not failed.
func (s setting) apps(v *sim.View, i int) (apps []Participant) {
	at := s.participant(i)
	if s.single {
		return []Participant{machine.Vars[smr.SingleNode](v, at).App.(Participant)}
	}
	for k := range s.replicas {
		if r := machine.Vars[chain.Replica](v, at+1+machine.ID(k)); r != nil {
			apps = append(apps, r.App.(Participant))
		}
	}
	return apps
}

func (s setting) atomic(v *sim.View) bool {
	for t := 1; t <= s.coordinators; t++ {
		committed, aborted, agreed := false, false, 0
		for i := range s.participants {
			agrees := false
			for _, p := range s.apps(v, i) {
				c := slices.Contains(p.Committed, t)
				committed, aborted = committed || c, aborted || slices.Contains(p.Aborted, t)
				agrees = agrees || c || p.Prepared == t
			}
			if agrees {
				agreed++
			}
		}
		if committed && (aborted || agreed < s.participants) {
			return false
		}
	}
	return true
}

func (s setting) ended(v *sim.View) bool {
	for i := range s.coordinators {
		if machine.StateOf(v, machine.ID(i)) != done {
			return false
		}
	}
	for i := range s.participants {
		for _, p := range s.apps(v, i) {
			if p.Prepared != 0 {
				return false
			}
		}
	}
	return true
}
