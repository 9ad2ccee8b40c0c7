package basicpaxos

import (
	"slices"
	"time"

	"github.com/macemc/macemc/internal/test/papers/smr"
	"github.com/macemc/macemc/machine"
)

type (
	// Propose is sent by a client to its proposer. Values count from 1.
	Propose struct {
		Client machine.ID
		Value  int
	}
	// Decided is the answer to Propose.
	Decided struct {
		Client machine.ID
		Value  int
	}

	Prepare struct {
		From   machine.ID
		Ballot int
	}
	Promise struct {
		Ballot   int
		From     machine.ID
		Accepted Vote
	}
	Accept struct{ Vote Vote }
	// Accepted is sent to all proposers.
	Accepted struct {
		From machine.ID
		Vote Vote
	}
)

// again is the timer after which a proposer may try again.
type again struct{}

// Vote is a vote for a value under a ballot; Ballot 0 means none.
type Vote struct{ Ballot, Value int }

// Client proposes a value.
type Client struct {
	Proposer machine.ID
	Value    int
}

const (
	thinking machine.State = "thinking"
	waiting  machine.State = "waiting"
	told     machine.State = "told"
)

var clientKind = machine.Define[Client]("client",
	machine.In(thinking, machine.Null((*Client).propose, waiting)),
	machine.In(waiting, machine.OnGoto[Decided](told)),
	machine.In(told))

func (c *Client) propose(x *machine.Ctx) {
	x.Send(c.Proposer, Propose{x.Self(), c.Value})
	x.Goto(waiting)
}

// Proposer tries to get a value decided, and learns the decision.
type Proposer struct {
	Acceptors []machine.ID
	Client    machine.ID
	Value     int          // proposed; 0 for none
	Ballot    int          // of the last attempt
	Step      int          // between its ballots
	Left      int          // remaining attempts
	Promises  []machine.ID // acceptors that have promised
	Best      Vote         // the highest vote among their promises
	Votes     []Accepted   // known votes
	Decided   int          // the decided value, or 0
	Bugs      bugs
}

const (
	idle      machine.State = "idle"
	preparing machine.State = "preparing"
	accepting machine.State = "accepting"
	done      machine.State = "done"
)

var proposerKind = proposers(machine.Ignore(Promise{}))

// surprisedKind has no rule for promises that it needs no more.
var surprisedKind = proposers()

func proposers(late ...machine.Rule) *machine.Kind {
	return machine.Define[Proposer]("proposer",
		machine.In(idle, machine.On((*Proposer).propose, preparing, done), machine.On((*Proposer).accepted)),
		machine.In(preparing,
			machine.Entry((*Proposer).prepare),
			machine.On((*Proposer).promise, accepting),
			machine.On((*Proposer).accepted, done),
			machine.OnGoto[again](preparing)),
		machine.In(accepting, append(late,
			machine.On((*Proposer).accepted, done),
			machine.OnGoto[again](preparing))...),
		machine.In(done, append(late, machine.Ignore(Accepted{}))...))
}

func (p *Proposer) propose(x *machine.Ctx, v Propose) {
	p.Value = v.Value
	if p.Decided != 0 {
		p.tell(x)
		return
	}
	x.Goto(preparing)
}

func (p *Proposer) tell(x *machine.Ctx) {
	x.Send(p.Client, Decided{p.Client, p.Decided})
	p.Promises, p.Votes, p.Best = nil, nil, Vote{}
	x.StopTimer(again{})
	x.Goto(done)
}

func (p *Proposer) prepare(x *machine.Ctx) {
	p.Left--
	p.Ballot += p.Step
	p.Promises, p.Best = nil, Vote{}
	for _, a := range p.Acceptors {
		x.Send(a, Prepare{x.Self(), p.Ballot})
	}
	if p.Left > 0 {
		x.SetTimer(again{}, time.Second)
	}
}

// most reports whether n is a majority of the acceptors.
func (p *Proposer) most(n int) bool {
	if p.Bugs.has(bp4) {
		n++
	}
	return 2*n > len(p.Acceptors)
}

func (p *Proposer) promise(x *machine.Ctx, m Promise) {
	if m.Ballot != p.Ballot {
		return // of an earlier attempt
	}
	p.Promises = with(p.Promises, m.From)
	slices.Sort(p.Promises)
	if m.Accepted.Ballot > p.Best.Ballot && (!p.Bugs.has(bp2) || p.Best.Ballot == 0) {
		p.Best = m.Accepted
	}
	if !p.most(len(p.Promises)) {
		return
	}
	v := Vote{p.Ballot, p.Best.Value}
	if v.Value == 0 || p.Bugs.has(bp1) {
		v.Value = p.Value
	}
	p.Promises, p.Best = nil, Vote{}
	for _, a := range p.Acceptors {
		x.Send(a, Accept{v})
	}
	x.Goto(accepting)
}

// accepted counts the votes under one ballot.
func (p *Proposer) accepted(x *machine.Ctx, a Accepted) {
	if p.Decided != 0 {
		return
	}
	p.Votes = with(p.Votes, a)
	n := 0
	for _, o := range p.Votes {
		if o.Vote == a.Vote || p.Bugs.has(bp5) && o.From != a.From {
			n++
		}
	}
	if !p.most(n) {
		return
	}
	if p.Decided = a.Vote.Value; p.Value != 0 {
		p.tell(x)
	}
}

// Acceptor promises and accepts.
type Acceptor struct {
	Learners []machine.ID
	Promised int
	Accepted Vote
	Bugs     bugs
}

var acceptorKind = machine.Define[Acceptor]("acceptor", machine.In("up",
	machine.On((*Acceptor).prepare),
	machine.On((*Acceptor).accept),
	machine.On(func(_ *Acceptor, x *machine.Ctx, _ smr.Fail) { x.Halt() })))

func (a *Acceptor) prepare(x *machine.Ctx, p Prepare) {
	if p.Ballot > a.Promised {
		a.Promised = p.Ballot
		x.Send(p.From, Promise{p.Ballot, x.Self(), a.Accepted})
	}
}

func (a *Acceptor) accept(x *machine.Ctx, m Accept) {
	if m.Vote.Ballot < a.Promised && !a.Bugs.has(bp3) {
		return
	}
	a.Promised, a.Accepted = max(a.Promised, m.Vote.Ballot), m.Vote
	for _, l := range a.Learners {
		x.Send(l, Accepted{x.Self(), m.Vote})
	}
}

// ProposerAbs and Register are the abstraction: the first written value is decided.
type ProposerAbs struct{ Register machine.ID }

var proposerAbsKind = machine.Define[ProposerAbs]("proposer", machine.In("passing on",
	machine.On(func(p *ProposerAbs, x *machine.Ctx, v Propose) { x.Send(p.Register, Write{v}) })))

type (
	Register struct{ Value int }
	Write    struct{ Value Propose } // to the register
)

var registerKind = machine.Define[Register]("register", machine.In("up",
	machine.Ignore(smr.Fail{}),
	machine.On(func(r *Register, x *machine.Ctx, w Write) {
		if r.Value == 0 {
			r.Value = w.Value.Value
		}
		x.Send(w.Value.Client, Decided{w.Value.Client, r.Value})
	})))

func with[T any](s []T, more T) []T { return slices.Clip(append(slices.Clone(s), more)) }
