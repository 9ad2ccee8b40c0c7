package timer

import "github.com/macemc/macemc/machine"

type (
	// Do asks a worker for something, and Done is the answer.
	Do struct {
		Client machine.ID
		Round  int
	}
	Done struct{ Round int }

	givenUp struct{ Round int } // is announced
)

// Client asks a worker in each round, and gives up when its timer fires.
type Client struct {
	Timer       machine.ID
	Workers     []machine.ID
	Round, Last int
}

const (
	resting    machine.State = "resting"
	waiting    machine.State = "waiting"
	cancelling machine.State = "cancelling"
	overdue    machine.State = "waiting for the time-out"
	done       machine.State = "done"
)

// clientKind returns the correct client, or one with a bug that does not wait for the Timeout after CancelFailure.
func clientKind(b bugs) *machine.Kind {
	late, failed := machine.Ignore(), overdue
	if b.has(ti1) || b.has(ti2) {
		failed = resting
	}
	if b.has(ti2) {
		late = machine.Ignore(Timeout{})
	}
	states := []machine.StateDef{
		machine.In(resting, machine.Null((*Client).next, waiting, done), machine.Ignore(Done{}), late),
		machine.In(waiting,
			machine.Entry((*Client).ask),
			machine.On((*Client).done, cancelling),
			machine.OnGotoWith(resting, (*Client).giveUp)),
		machine.In(cancelling,
			machine.OnGoto[CancelSuccess](resting),
			machine.OnGoto[CancelFailure](failed),
			machine.Defer(Timeout{}), // which comes before the failure, or after it
			machine.Ignore(Done{})),
		machine.In(done, machine.Ignore(Done{}), late),
	}
	if failed == overdue {
		states = append(states, machine.In(overdue, machine.OnGoto[Timeout](resting), machine.Ignore(Done{})))
	}
	return machine.Define[Client]("client", states...)
}

func (c *Client) next(x *machine.Ctx) {
	if c.Round == c.Last {
		x.Goto(done)
		return
	}
	c.Round++
	x.Goto(waiting)
}

func (c *Client) ask(x *machine.Ctx) {
	x.Send(c.Workers[(c.Round-1)%len(c.Workers)], Do{x.Self(), c.Round})
	x.Send(c.Timer, Start{})
}

func (c *Client) done(x *machine.Ctx, d Done) {
	if d.Round == c.Round { // otherwise of a round that was given up
		x.Send(c.Timer, Cancel{})
		x.Goto(cancelling)
	}
}

func (c *Client) giveUp(x *machine.Ctx, _ Timeout) { x.Announce(givenUp{c.Round}) }
