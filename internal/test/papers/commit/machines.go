package commit

import (
	"time"

	"github.com/macemc/macemc/machine"
)

// Coordinator serves transactions one by one.
type Coordinator struct {
	Participants []machine.ID
	Current      Write
	Agreed       int
	Bugs         bugs
}

const (
	waiting    machine.State = "waiting for transactions"
	preparing  machine.State = "preparing"
	serving    machine.State = "serving"
	writing    machine.State = "writing"
	confirming machine.State = "confirming"
	done       machine.State = "done"
)

var coordinatorKind = machine.Define[Coordinator]("coordinator",
	machine.In("start", machine.Entry(func(c *Coordinator, x *machine.Ctx) {
		c.tell(x, Inform{x.Self()})
		x.Goto(waiting)
	}, waiting)),
	machine.In(waiting,
		machine.On((*Coordinator).write, preparing),
		machine.On((*Coordinator).read),
		machine.Ignore(Prepared{}, late{})), // of the previous transaction
	machine.In(preparing,
		machine.Defer(Write{}),
		machine.On((*Coordinator).prepared, waiting),
		machine.On((*Coordinator).read),
		machine.OnGotoWith(waiting, func(c *Coordinator, x *machine.Ctx, _ late) { c.abort(x, TimeOut) }),
		machine.Exit(func(c *Coordinator, x *machine.Ctx) { c.Agreed = 0; x.StopTimer(late{}) })))

func (c *Coordinator) write(x *machine.Ctx, w Write) {
	c.Current = w
	c.tell(x, Prepare{w.Trans})
	x.SetTimer(late{}, time.Second)
	x.Goto(preparing)
}

func (c *Coordinator) read(x *machine.Ctx, r Read) {
	x.Send(c.Participants[x.Choose("who reads", len(c.Participants))], r)
}

func (c *Coordinator) prepared(x *machine.Ctx, p Prepared) {
	switch {
	case p.ID != c.Current.Trans.ID && !c.Bugs.has(pc3):
	case p.Status != Success:
		c.abort(x, Failure)
		x.Goto(waiting)
	default:
		if c.Agreed++; c.Agreed == len(c.Participants) || c.Bugs.has(pc2) {
			c.tell(x, Commit{c.Current.Trans.ID})
			x.Send(c.Current.Client, Written{c.Current.Trans.ID, Success})
			x.Goto(waiting)
		}
	}
}

func (c *Coordinator) abort(x *machine.Ctx, why Status) {
	c.tell(x, Abort{c.Current.Trans.ID})
	x.Send(c.Current.Client, Written{c.Current.Trans.ID, why})
}

func (c *Coordinator) tell(x *machine.Ctx, ev any) {
	for _, p := range c.Participants {
		x.Send(p, ev)
	}
}

// Participant keeps a store. Pending are prepared transactions.
type Participant struct {
	Coordinator machine.ID
	Store       map[int]Trans // by key
	Pending     map[int]Trans // by ID
}

var participantKind = machine.Define[Participant]("participant",
	machine.In("start", machine.OnGotoWith(serving, func(p *Participant, _ *machine.Ctx, i Inform) {
		*p = Participant{i.Coordinator, map[int]Trans{}, map[int]Trans{}}
	})),
	machine.In(serving,
		machine.On((*Participant).prepare), machine.On((*Participant).commit),
		machine.On((*Participant).abort), machine.On((*Participant).read)))

func (p *Participant) prepare(x *machine.Ctx, q Prepare) {
	p.Pending[q.Trans.ID] = q.Trans
	status := Success
	if have, ok := p.Store[q.Trans.Key]; ok && q.Trans.ID <= have.ID {
		status = Failure
	}
	x.Send(p.Coordinator, Prepared{q.Trans.ID, status})
}

func (p *Participant) commit(x *machine.Ctx, c Commit) {
	t, ok := p.Pending[c.ID]
	x.Assert(ok, "commit of %d, which is not pending", c.ID)
	p.Store[t.Key] = t
	delete(p.Pending, c.ID)
}

func (p *Participant) abort(x *machine.Ctx, a Abort) {
	_, ok := p.Pending[a.ID]
	x.Assert(ok, "abort of %d, which is not pending", a.ID)
	delete(p.Pending, a.ID)
}

func (p *Participant) read(x *machine.Ctx, r Read) {
	t, ok := p.Store[r.Key]
	answer := ReadAnswer{r.Key, t.Value, Success}
	if !ok {
		answer.Status = Failure
	}
	x.Send(r.Client, answer)
}

// Client writes some values, and reads each of them back.
type Client struct {
	Coordinator    machine.ID
	ID, Next, Last int
	Now            Trans
	Values         int
	Strict         bool // it assumes that no other client writes
}

var clientKind = machine.Define[Client]("client",
	machine.In(writing, machine.Entry((*Client).write, done), machine.OnGoto[Written](confirming)),
	machine.In(confirming,
		machine.EntryWith((*Client).confirm, writing),
		machine.On((*Client).confirmed, writing)),
	machine.In(done))

func (c *Client) write(x *machine.Ctx) {
	if c.Next > c.Last {
		x.Goto(done)
		return
	}
	c.Now = Trans{0, x.Choose("value", c.Values), 100*c.ID + c.Next}
	c.Next++
	x.Send(c.Coordinator, Write{x.Self(), c.Now})
}

func (c *Client) confirm(x *machine.Ctx, w Written) {
	if w.Status == Success {
		x.Send(c.Coordinator, Read{x.Self(), c.Now.Key})
	} else {
		x.Goto(writing)
	}
}

func (c *Client) confirmed(x *machine.Ctx, r ReadAnswer) {
	x.Assert(!c.Strict || r == ReadAnswer{c.Now.Key, c.Now.Value, Success}, "read %+v, wrote %+v", r, c.Now)
	x.Goto(writing)
}
