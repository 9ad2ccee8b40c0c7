package twophase

import "github.com/macemc/macemc/sim"

// Participant is the service of the other nodes.
type Participant struct {
	sim.Nop
	InDoubt bool // has voted yes and does not know the outcome
	Outcome Outcome

	bugs bugs
}

// Boot implements [sim.Service].
func (p *Participant) Boot(env sim.Env) {
	switch saved(env) {
	case Committed.String():
		p.Outcome = Committed
	case Aborted.String():
		p.Outcome = Aborted
	case prepared:
		if p.bugs.has(tp2) {
			p.finish(env, Aborted)
			return
		}
		p.InDoubt = true
		if !p.bugs.has(tp3) {
			env.Send(0, Query{})
		}
	}
}

// Receive implements [sim.Service].
func (p *Participant) Receive(env sim.Env, from sim.NodeID, msg any) {
	switch m := msg.(type) {
	case Prepare:
		p.vote(env)
		env.Send(from, Vote{p.Outcome != Aborted})
	case Decision:
		if m.Commit {
			p.finish(env, Committed)
		} else {
			p.finish(env, Aborted)
		}
	}
}

// vote chooses the vote, unless it is already determined.
func (p *Participant) vote(env sim.Env) {
	switch {
	case p.InDoubt || p.Outcome != Undecided:
	case env.Choose("vote", 2) == 0:
		p.InDoubt = true
		save(env, prepared)
	default:
		p.finish(env, Aborted)
	}
}

func (p *Participant) finish(env sim.Env, o Outcome) {
	p.InDoubt, p.Outcome = false, o
	save(env, o.String())
}
