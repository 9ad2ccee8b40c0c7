package paxos

import (
	"fmt"

	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Sizes is the number of nodes of each role. Proposers are the first nodes, followed by the acceptors, then the
// learners.
type Sizes struct{ Proposers, Acceptors, Learners int }

// Bounds of sizes, and the defaults.
const (
	maxProposers = 8
	minAcceptors = 3
	maxAcceptors = 9
	maxLearners  = 3
	minNodes     = 1 + minAcceptors + 1
	maxNodes     = 12

	defaultProposers = 2
	defaultAcceptors = 3
	defaultLearners  = 1
	defaultNodes     = defaultProposers + defaultAcceptors + defaultLearners
)

// sizesOf returns the requested sizes, which determine the number of nodes. A requested number of nodes determines the
// number of proposers unless that is requested, too.
func sizesOf(c spec.Config) (Sizes, error) {
	s := Sizes{c.Int(proposersParam), c.Int(acceptorsParam), c.Int(learnersParam)}
	if c.NodesGiven() && !c.Given(proposersParam) {
		s.Proposers = c.Nodes - s.Acceptors - s.Learners
		if s.Proposers < 1 || s.Proposers > maxProposers {
			return Sizes{}, fmt.Errorf("%d nodes without %d acceptors and %d learners leave %d for proposers, must be 1 to %d",
				c.Nodes, s.Acceptors, s.Learners, s.Proposers, maxProposers)
		}
	}
	switch n := s.Nodes(); {
	case n > maxNodes:
		return Sizes{}, fmt.Errorf("%v are %d nodes, must be at most %d", s, n, maxNodes)
	case c.NodesGiven() && n != c.Nodes:
		return Sizes{}, fmt.Errorf("%v are %d nodes, not %d: leave the number of nodes out, or that of proposers", s, n, c.Nodes)
	}
	return s, nil
}

// Nodes returns the total number of nodes.
func (s Sizes) Nodes() int { return s.Proposers + s.Acceptors + s.Learners }

// Majority returns the size of a majority of acceptors.
func (s Sizes) Majority() int { return s.Acceptors/2 + 1 }

func (s Sizes) String() string {
	return fmt.Sprintf("%d proposers, %d acceptors and %d learners", s.Proposers, s.Acceptors, s.Learners)
}

// toAcceptors sends msg to every acceptor.
func (s Sizes) toAcceptors(env sim.Env, msg any) {
	for i := range s.Acceptors {
		env.Send(sim.NodeID(s.Proposers+i), msg)
	}
}

// toLearners sends msg to every learner.
func (s Sizes) toLearners(env sim.Env, msg any) {
	for i := range s.Learners {
		env.Send(sim.NodeID(s.Proposers+s.Acceptors+i), msg)
	}
}
