package paxos

import "github.com/macemc/macemc/sim"

// Phase is the progress of a proposer.
type Phase uint8

const (
	Idle    Phase = iota // has not proposed, or lost its state in a crash
	Reading              // waits for a majority of replies
	Written              // has asked all acceptors to accept a value
)

func (p Phase) String() string { return [...]string{"idle", "reading", "written"}[p] }

// Proposer tries to have a value chosen, in one ballot.
type Proposer struct {
	sim.Nop
	Phase Phase
	// While reading: the number of replies, the highest ballot that they report, and its value.
	Replies int
	Highest Ballot
	Value   Value

	own   Ballot // also the number of the value that the proposer prefers
	sizes Sizes
	bugs  bugs
}

// Propose starts the ballot.
func (p *Proposer) Propose(env sim.Env) {
	p.Phase = Reading
	p.sizes.toAcceptors(env, Read{p.own})
}

// Receive implements [sim.Service]. Replies are counted regardless of sender: the network must not duplicate any.
func (p *Proposer) Receive(env sim.Env, _ sim.NodeID, msg any) {
	if p.Phase != Reading {
		return
	}
	reply := msg.(ReadReply)
	if reply.Accepted > p.Highest {
		p.Highest, p.Value = reply.Accepted, reply.Value
	}
	if p.Replies++; p.Replies < p.sizes.Majority() {
		return
	}
	value := p.Value
	if p.Highest == 0 || p.bugs.has(px3) {
		value = Value(p.own)
	}
	p.Phase, p.Replies, p.Highest, p.Value = Written, 0, 0, 0
	p.sizes.toAcceptors(env, Write{p.own, value})
}
