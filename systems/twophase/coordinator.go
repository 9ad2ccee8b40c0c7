package twophase

import (
	"time"

	"github.com/macemc/macemc/sim"
)

const votePeriod = 10 * time.Second

// Coordinator is the service of node 0.
type Coordinator struct {
	sim.Nop
	Voting  bool   // waiting for votes
	Yes     uint64 // while voting: the nodes that have voted yes, bit i is node i
	Outcome Outcome

	bugs bugs
}

// Boot implements [sim.Service].
func (c *Coordinator) Boot(env sim.Env) {
	switch saved(env) {
	case Committed.String():
		c.Outcome = Committed
		c.tellAll(env)
	case Aborted.String():
		c.Outcome = Aborted
		c.tellAll(env)
	}
}

// Begin requests the votes. The coordinator must not be voting, and have no outcome.
func (c *Coordinator) Begin(env sim.Env) {
	c.Voting = true
	env.SetTimer(votesDue{}, votePeriod)
	toParticipants(env, Prepare{})
}

// Receive implements [sim.Service].
func (c *Coordinator) Receive(env sim.Env, from sim.NodeID, msg any) {
	switch m := msg.(type) {
	case Vote:
		if c.Voting || c.bugs.has(tp1) {
			c.voted(env, from, m.Yes)
		} else if m.Yes {
			c.tell(env, from) // it is in doubt, and may have lost the decision in a crash
		}
	case Query:
		c.tell(env, from)
	}
}

// Timer implements [sim.Service]: the votes are overdue.
func (c *Coordinator) Timer(env sim.Env, _ any) { c.decide(env, Aborted) }

func (c *Coordinator) voted(env sim.Env, from sim.NodeID, yes bool) {
	if !yes {
		c.decide(env, Aborted)
		return
	}
	c.Yes |= 1 << from
	if everybody := uint64(1)<<env.Nodes() - 2; c.Yes == everybody {
		c.decide(env, Committed)
	}
}

func (c *Coordinator) decide(env sim.Env, o Outcome) {
	c.Voting, c.Yes, c.Outcome = false, 0, o
	env.StopTimer(votesDue{})
	save(env, o.String())
	c.tellAll(env)
}

// tell sends the outcome, if there is one, to a participant.
func (c *Coordinator) tell(env sim.Env, to sim.NodeID) {
	if c.Outcome != Undecided {
		env.Send(to, Decision{c.Outcome == Committed})
	}
}

func (c *Coordinator) tellAll(env sim.Env) { toParticipants(env, Decision{c.Outcome == Committed}) }

func toParticipants(env sim.Env, msg any) {
	for id := range sim.NodeID(env.Nodes() - 1) {
		env.Send(id+1, msg)
	}
}
