package superstep

import (
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/sim"
)

// Names of the properties.
const (
	CompleteIsAll  = "complete means that all states were found, and all edges counted"
	Logged         = "each state is in the log of its part, once, and can be reached"
	CommitIsLogged = "the commit says no more than what the logs hold"
	NoFalseAlarm   = "damage is said only of logs that have lost something"
	Ends           = "the search comes to an end"
	Completes      = "the search completes"
	TwoWork        = "two members expand states"
)

func properties() []sim.Property {
	store := func(holds func(s *Store) bool) func(*sim.View) bool {
		return func(v *sim.View) bool { return holds(v.Service(0).(*Store)) }
	}
	return []sim.Property{
		{Name: CompleteIsAll, Explain: explain, Always: store(complete)},
		{Name: Logged, Explain: explain, Always: store(logged)},
		{Name: CommitIsLogged, Explain: explain, Always: store(func(s *Store) bool { return s.Forgot || !damaged(s.Commit.Len, s.lens()) })},
		{Name: NoFalseAlarm, Explain: explain, Always: store(func(s *Store) bool { return s.Commit.End != Damaged || s.Forgot })},
		{Name: Ends, Explain: explain, Eventually: store(func(s *Store) bool { return s.Commit.End != Running })},
		{Name: Completes, Sometimes: store(func(s *Store) bool { return s.Commit.End == Complete })},
		{Name: TwoWork, Sometimes: store(func(s *Store) bool {
			return s.Commit.End == Complete && s.Commit.Owner[0] != s.Commit.Owner[1]
		})},
	}
}

// complete checks that a complete search has the exact numbers of states and edges.
func complete(s *Store) bool {
	if s.Commit.End != Complete {
		return true
	}
	for p, states := range reachable() {
		edges := 0
		for _, state := range states {
			edges += len(successors(state))
		}
		if len(s.Logs[p]) != len(states) || s.Commit.Edges[p] != edges {
			return false
		}
	}
	return true
}

// logged checks the logs; with it, a log that has as many states as the part has all of them.
func logged(s *Store) bool {
	for p, states := range reachable() {
		for i, state := range s.Logs[p] {
			if !slices.Contains(states, state) || slices.Contains(s.Logs[p][:i], state) {
				return false
			}
		}
	}
	return true
}

func explain(v *sim.View) string {
	s := v.Service(0).(*Store)
	c := &s.Commit
	lines := []string{fmt.Sprintf("commit %d: superstep %d, epoch %d, %v; lease of n%d", c.Rev, c.K, c.Epoch, c.End, s.Holder)}
	for p, log := range s.Logs {
		lines = append(lines, fmt.Sprintf("part %d of n%d: %v, next %d, until %d, committed %d", p, c.Owner[p], log, c.Next[p],
			c.Until[p], c.Len[p]))
	}
	return strings.Join(lines, "\n")
}
