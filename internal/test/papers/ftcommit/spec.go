package ftcommit

import (
	"slices"

	"github.com/macemc/macemc/internal/test/papers/smr"
	"github.com/macemc/macemc/internal/test/papers/smr/group"
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/sim"
)

// setting has the parameters.
type setting struct {
	coordinators, participants int
	group                      group.Group // of each participant
	bugs                       bugs
}

// participant returns the machine that coordinators ask.
func (s setting) participant(i int) machine.ID {
	return machine.ID(s.coordinators + i*s.group.Nodes())
}

// machines adds the coordinators, and then the participants.
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
		s.group.Add(ms, Participant{Bugs: s.bugs})
	}
	return ms
}

// abstraction lets coordinators ask for any operation on any of their transactions.
func (s setting) abstraction() sim.Abstraction {
	var ops []smr.Op
	for _, do := range []string{prepare, commit, abort} {
		for t := range s.coordinators {
			ops = append(ops, smr.Op{Do: do, Key: 1 + t})
		}
	}
	return s.group.Abstraction(Participant{Bugs: s.bugs}, ops)
}

func (s setting) system() sim.System {
	ms := s.machines()
	machine.EachAnswered(ms, "every operation is answered", func(r smr.Request) int { return r.ID }, func(r smr.Response) int { return r.ID })
	sys := ms.Sim("ftcommit")
	sys.Properties = []sim.Property{
		{Name: "atomicity", Always: s.atomic},
		{Name: "every coordinator comes to an end", Eventually: s.ended},
		{Name: "something is committed", Sometimes: func(v *sim.View) bool {
			return len(s.apps(v, 0)) > 0 && len(s.apps(v, 0)[0].Committed) > 0
		}},
	}
	sys.Abstractions = []sim.Abstraction{s.abstraction()}
	return sys
}

// apps returns the copies of a participant that have not failed.
func (s setting) apps(v *sim.View, i int) (apps []Participant) {
	for _, app := range s.group.Apps(v, s.participant(i)) {
		apps = append(apps, app.(Participant))
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
