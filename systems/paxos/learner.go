package paxos

import "github.com/macemc/macemc/sim"

// Tally is a learner's count for one ballot.
type Tally struct {
	Accepts int // number of accepts received, also beyond the majority
	// Value is the accepted value, 0 below the majority: it is not stored before it matters. From the majority on it is
	// determined by the acceptors' state if the protocol is correct.
	Value Value
}

// Learner counts accepts. It does not store the decision, which follows from the counts.
type Learner struct {
	sim.Nop
	Tallies []Tally // of ballot 1, 2, ...

	sizes Sizes
	bugs  bugs
}

// Receive implements [sim.Service]. Accepts are counted regardless of sender: the network must not duplicate any.
func (l *Learner) Receive(_ sim.Env, _ sim.NodeID, msg any) {
	m := msg.(Accept)
	t := &l.Tallies[m.Ballot-1]
	t.Accepts++
	count := t.Accepts
	if l.bugs.has(px1) {
		count = l.accepts()
	}
	if count >= l.sizes.Majority() {
		t.Value = m.Value
	}
}

// accepts counts the accepts of all ballots.
func (l *Learner) accepts() int {
	n := 0
	for _, t := range l.Tallies {
		n += t.Accepts
	}
	return n
}
