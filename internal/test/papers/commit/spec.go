package commit

import (
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/sim"
)

// atomicity is a monitor: a committed transaction was agreed to by all participants, and a failed one was refused
// by some.
type atomicity struct {
	Participants int
	Votes        map[int]votes // by transaction
}

type votes struct{ Yes, No int }

var atomicityKind = machine.Define[atomicity]("atomicity", machine.In("watching",
	machine.On((*atomicity).prepared), machine.On((*atomicity).written)))

func (a *atomicity) prepared(_ *machine.Ctx, s machine.Sent[Prepared]) {
	v := a.Votes[s.Event.ID]
	if s.Event.Status == Success {
		v.Yes++
	} else {
		v.No++
	}
	a.Votes[s.Event.ID] = v
}

func (a *atomicity) written(x *machine.Ctx, s machine.Sent[Written]) {
	v, id := a.Votes[s.Event.ID], s.Event.ID
	x.Assert(s.Event.Status != Success || v.Yes == a.Participants, "transaction %d is committed, %d of %d have agreed", id, v.Yes,
		a.Participants)
	x.Assert(s.Event.Status != Failure || v.No > 0, "transaction %d fails, but nobody has refused it", id)
	delete(a.Votes, id)
}

// machines adds a coordinator, its participants and clients.
func machines(participants, clients, writes, values int, b bugs) *machine.System {
	ms := &machine.System{}
	c := Coordinator{Bugs: b}
	for range participants {
		c.Participants = append(c.Participants, ms.Add(participantKind, Participant{}))
	}
	coordinator := ms.Add(coordinatorKind, c)
	for i := range clients {
		ms.Add(clientKind, Client{Coordinator: coordinator, ID: i + 1, Next: 1, Last: writes, Values: values, Strict: clients == 1 || b.has(pc1)})
	}
	ms.Monitor(atomicityKind, atomicity{participants, map[int]votes{}})
	machine.EachAnswered(ms, "every transaction is answered",
		func(w Write) int { return w.Trans.ID }, func(w Written) int { return w.ID })
	return ms
}

func properties(participants int) []sim.Property {
	clients := func(v *sim.View) bool {
		for id := range sim.Nodes[*machine.Host](v) {
			if int(id) > participants && machine.StateOf(v, id) != done {
				return false
			}
		}
		return true
	}
	return []sim.Property{
		{Name: "every client comes to an end", Eventually: clients},
		{Name: "something is committed", Sometimes: func(v *sim.View) bool {
			p := machine.Vars[Participant](v, 0)
			return p != nil && len(p.Store) > 0
		}},
	}
}
