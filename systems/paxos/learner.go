package paxos

import "github.com/macemc/macemc/sim"

// Tally is what a learner knows of one ballot.
type Tally struct {
	Accepts int // how many were told, past the majority too
	// Value is what was accepted, 0 below the majority: it is not kept before it matters. From the
	// majority on it follows from what the acceptors hold, if all is well.
	Value Value
}

// Learner counts what acceptors have accepted. It keeps no decision: that is in the counts.
type Learner struct {
	sim.Nop
	Tallies []Tally // of ballot 1, 2, ...

	sizes Sizes
	bugs  bugs
}

// Receive implements [sim.Service]. Accepts are counted whoever sends them: the network must not
// duplicate any.
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
