package timer

import (
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/sim"
)

// promises is a monitor of the timer's messages. Its states are the possible obligations; any other message has no
// rule.
type promises struct{}

var promisesKind = machine.Define[promises]("what the timer promises",
	machine.In("nothing is owed", machine.Cold,
		machine.OnGoto[machine.Sent[Start]]("started"),
		machine.OnGoto[machine.Sent[Cancel]]("fired and cancelled")), // Timeout is on its way
	machine.In("started", machine.Hot,
		machine.OnGoto[machine.Sent[Timeout]]("nothing is owed"),
		machine.OnGoto[machine.Sent[Cancel]]("cancelled")),
	machine.In("cancelled", machine.Hot,
		machine.OnGoto[machine.Sent[CancelSuccess]]("nothing is owed"),
		machine.OnGoto[machine.Sent[CancelFailure]]("not cancelled"),
		machine.OnGoto[machine.Sent[Timeout]]("fired and cancelled")),
	machine.In("fired and cancelled", machine.Hot, machine.OnGoto[machine.Sent[CancelFailure]]("nothing is owed")),
	machine.In("not cancelled", machine.Hot, machine.OnGoto[machine.Sent[Timeout]]("nothing is owed")))

// rounds is a monitor: the client gives a round up only after the time of that round.
type rounds struct{ Round, Over int }

var roundsKind = machine.Define[rounds]("rounds are given up in time", machine.In("watching",
	machine.On(func(r *rounds, _ *machine.Ctx, s machine.Sent[Do]) { r.Round = s.Event.Round }),
	machine.On(func(r *rounds, _ *machine.Ctx, _ machine.Sent[Timeout]) { r.Over = r.Round }),
	machine.On(func(r *rounds, x *machine.Ctx, g givenUp) {
		x.Assert(r.Over == g.Round, "round %d is given up by the time-out of round %d", g.Round, r.Over)
	})))

// setting has the parameters.
type setting struct {
	workers, rounds, failures int
	bugs                      bugs
}

// Nodes, the workers last.
const (
	client machine.ID = iota
	clock
	injector
	workers
)

// machines adds the client, its timer, the injector and the workers. The last worker is not halted.
func (s setting) machines() *machine.System {
	ms := &machine.System{}
	var ids []machine.ID
	for i := range s.workers {
		ids = append(ids, workers+machine.ID(i))
	}
	ms.Add(clientKind(s.bugs), Client{Timer: clock, Workers: ids, Last: s.rounds})
	ms.Add(timerKind, Timer{client})
	ms.Add(injectorKind, FaultInjector{ids, min(s.failures, s.workers)})
	for range s.workers - 1 {
		ms.Add(workerKind, Worker{})
	}
	ms.Add(reserveKind, Worker{})
	ms.Monitor(promisesKind, promises{})
	ms.Monitor(roundsKind, rounds{})
	return ms
}

func (s setting) system() sim.System {
	sys := s.machines().Sim("timer")
	sys.Properties = s.properties()
	return sys
}

func (s setting) properties() []sim.Property {
	reserve := workers + machine.ID(s.workers-1)
	all := []sim.Property{
		{Name: "who handles Halt is not halted", Always: func(v *sim.View) bool { return !halted(v, reserve) }},
		{Name: "the client comes to an end", Inevitably: func(v *sim.View) bool { return machine.StateOf(v, client) == done }},
		{Name: "cancelling fails", Sometimes: func(v *sim.View) bool { return machine.StateOf(v, client) == overdue }},
	}
	if s.failures > 0 && s.workers > 1 {
		all = append(all, sim.Property{Name: "a worker is halted", Sometimes: func(v *sim.View) bool { return halted(v, workers) }})
	}
	return all
}

func halted(v *sim.View, id machine.ID) bool {
	h, ok := v.Service(id).(*machine.Host) // not ok: its node is down
	return ok && h.Halted
}
