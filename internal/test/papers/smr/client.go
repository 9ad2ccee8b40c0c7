package smr

import (
	"time"

	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/sim"
)

// Client sends some commands, without waiting for answers, as a client may.
type Client struct {
	Service     machine.ID
	Asks        Service // selects the commands
	First, Left int     // numbers of commands
	Last        int     // last commit in an answer
	Waiting     int
	Pause       time.Duration // before each command
}

const (
	asking machine.State = "asking"
	asked  machine.State = "asked"
)

// ClientKind is the kind of clients that ask at any moment.
var ClientKind = machine.Define[Client]("client",
	machine.In(asking, machine.Null((*Client).ask, asked), machine.On((*Client).answered)),
	machine.In(asked, machine.On((*Client).answered)))

// PacedKind is the kind of clients that pause before each command.
var PacedKind = machine.Define[Client]("client",
	machine.In(asking, machine.Entry((*Client).pause), machine.On(func(c *Client, x *machine.Ctx, _ goOn) { c.ask(x) }, asking, asked),
		machine.On((*Client).answered)),
	machine.In(asked, machine.On((*Client).answered)))

type goOn struct{}

func (c *Client) pause(x *machine.Ctx) { x.SetTimer(goOn{}, c.Pause) }

func (c *Client) ask(x *machine.Ctx) {
	c.Waiting++
	x.Send(c.Service, Request{Client: x.Self(), ID: c.First, Op: c.Asks.Nth(int(x.Self()), (c.First-1)%MaxRequests)})
	c.First++
	if c.Left--; c.Left == 0 {
		x.Goto(asked)
	} else if c.Pause > 0 {
		x.Goto(asking)
	}
}

func (c *Client) answered(x *machine.Ctx, r Response) {
	x.Assert(r.Commit > c.Last, "commit %d is answered after %d", r.Commit, c.Last)
	c.Last = r.Commit
	c.Waiting--
}

// MaxRequests separates the numbers of commands of several clients.
const MaxRequests = 100_000

// AddClients adds clients with so many commands each for a service, with a pause before each command if it is not
// 0. They are the first machines of the system. Monitors check that each command is answered with its result.
func AddClients(ms *machine.System, clients, requests int, front machine.ID, service Service, pause time.Duration) {
	kind := ClientKind
	if pause > 0 {
		kind = PacedKind
	}
	for i := range clients {
		ms.Add(kind, Client{Service: front, Asks: service, First: MaxRequests*i + 1, Left: requests, Pause: pause})
	}
	machine.EachAnswered(ms, "every command is answered", func(r Request) int { return r.ID }, func(r Response) int { return r.ID })
	ms.Monitor(answersKind, answers{Front: front, App: service})
}

// Ended reports whether all clients have their answers.
func Ended(clients int) func(*sim.View) bool {
	return func(v *sim.View) bool {
		for i := range clients {
			if c := machine.Vars[Client](v, machine.ID(i)); machine.StateOf(v, machine.ID(i)) != asked || c.Waiting > 0 {
				return false
			}
		}
		return true
	}
}
