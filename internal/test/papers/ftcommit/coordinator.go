package ftcommit

import (
	"slices"

	"github.com/macemc/macemc/internal/test/papers/smr"
	"github.com/macemc/macemc/machine"
)

// Coordinator executes a transaction.
type Coordinator struct {
	Participants []machine.ID
	Transaction  int
	Agreed       []int // indices of participants
	Refused      bool
	Waiting      int // number of missing answers
	Bugs         bugs
}

const (
	preparing machine.State = "preparing"
	deciding  machine.State = "deciding"
	done      machine.State = "done"
)

var coordinatorKind = machine.Define[Coordinator]("coordinator",
	machine.In("idle", machine.Null((*Coordinator).begin, preparing)),
	machine.In(preparing, machine.On((*Coordinator).voted, deciding, done)),
	machine.In(deciding, machine.On((*Coordinator).acknowledged, done)),
	machine.In(done, machine.Ignore(smr.Response{})))

// Requests of a coordinator are numbered by transaction, participant and phase.
const (
	perTransaction = 100
	perParticipant = 10
)

func (c *Coordinator) ask(x *machine.Ctx, participant, phase int, do string) {
	id := c.Transaction*perTransaction + participant*perParticipant + phase
	x.Send(c.Participants[participant], smr.Request{Client: x.Self(), ID: id, Op: smr.Op{Do: do, Key: c.Transaction}})
	c.Waiting++
}

func (c *Coordinator) begin(x *machine.Ctx) {
	for i := range c.Participants {
		c.ask(x, i, 0, prepare)
	}
	x.Goto(preparing)
}

func (c *Coordinator) voted(x *machine.Ctx, r smr.Response) {
	c.Waiting--
	if r.Value == yes {
		c.Agreed = with(c.Agreed, r.ID%perTransaction/perParticipant)
		slices.Sort(c.Agreed)
	} else {
		c.Refused = true
	}
	if c.Waiting > 0 && !c.Bugs.has(ft1) {
		return
	}
	do := commit
	if c.Refused {
		do = abort
	}
	c.Waiting = 0
	for _, i := range c.Agreed {
		if do != abort || !c.Bugs.has(ft3) {
			c.ask(x, i, 1, do)
		}
	}
	if c.Waiting == 0 {
		x.Goto(done)
		return
	}
	x.Goto(deciding)
}

func (c *Coordinator) acknowledged(x *machine.Ctx, r smr.Response) {
	if r.ID%perParticipant == 0 {
		return // a vote that is not needed any more
	}
	x.Assert(r.Value == yes, "participant %d has not prepared the transaction that it must end", r.ID%perTransaction/perParticipant)
	if c.Waiting--; c.Waiting == 0 {
		x.Goto(done)
	}
}
