package synod

import (
	"slices"

	"github.com/macemc/macemc/sim"
)

// quorums returns the quorums that replace counting. A proposer forgets in a crash that it has written, so its Need
// is never negative.
func quorums(b bugs) []sim.AnyQuorum {
	accepted := sim.Quorum[*Learner, Accept]{Name: "accepted", Need: (*Learner).needs, Key: func(m Accept) any { return m.Ballot },
		Guard: (*Learner).undecided, Do: (*Learner).accepted}
	if b.has(sy1) {
		accepted.Key, accepted.Guard = nil, nil
	}
	return []sim.AnyQuorum{
		sim.Quorum[*Proposer, ReadReply]{Name: "promised", Need: (*Proposer).needs, Do: (*Proposer).promised},
		accepted,
	}
}

func (p *Proposer) needs() int {
	if p.Written {
		return 0
	}
	return p.sizes.majority()
}

func (p *Proposer) promised(env sim.Env, set []sim.From[ReadReply]) {
	highest := slices.MaxFunc(set, func(a, b sim.From[ReadReply]) int { return a.Msg.Accepted - b.Msg.Accepted })
	p.write(env, highest.Msg.Value)
}

func (l *Learner) needs() int { return l.sizes.majority() }

// undecided reports whether the learner has not yet counted a majority for the ballot of the set.
func (l *Learner) undecided(set []sim.From[Accept]) bool { return l.Accepts[set[0].Msg.Ballot] == 0 }

func (l *Learner) accepted(_ sim.Env, set []sim.From[Accept]) {
	for _, m := range set {
		l.Chosen[m.Msg.Value] = true
		if !l.bugs.has(sy1) {
			l.Accepts[m.Msg.Ballot] = l.sizes.majority()
		}
	}
}
