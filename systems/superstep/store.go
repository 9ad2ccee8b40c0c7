package superstep

import (
	"time"

	"github.com/macemc/macemc/sim"
)

const leaseTime = 10 * time.Second

// Store is the service of node 0: replicated logs, and a key with compare-and-swap.
type Store struct {
	sim.Nop
	Holder sim.NodeID // of the lease; 0 for none
	Commit Commit
	Logs   [Parts][]State
	Forgot bool // the end of a log was lost

	bugs bugs
}

// Boot implements [sim.Service].
func (s *Store) Boot(env sim.Env) {
	s.Logs[partOf(first)] = []State{first}
	s.Commit = NewCommit(env.Nodes()-1, s.lens())
}

// Timer implements [sim.Service]: the lease expires.
func (s *Store) Timer(sim.Env, any) { s.Holder = 0 }

// Receive implements [sim.Service].
func (s *Store) Receive(env sim.Env, from sim.NodeID, msg any) {
	switch m := msg.(type) {
	case Claim:
		if s.Holder != 0 && s.Holder != from {
			return
		}
		s.Holder = from
		env.SetTimer(lease{}, leaseTime)
		env.Send(from, Granted{s.Commit, s.lens()})
	case Release:
		if s.Holder == from {
			s.Holder = 0
			env.StopTimer(lease{})
		}
	case Swap:
		if m.Commit.Rev == s.Commit.Rev+1 || s.bugs.has(noSwap) {
			s.Commit = m.Commit
		}
		env.Send(from, Swapped{s.Commit, s.lens()})
	case Append:
		if m.At == len(s.Logs[m.Part]) || s.bugs.has(blind) {
			s.Logs[m.Part] = append(s.Logs[m.Part], m.States...)
		}
		s.read(env, from, m.Part, m.At)
	case Read:
		s.read(env, from, m.Part, m.From)
	}
}

func (s *Store) read(env sim.Env, to sim.NodeID, part, from int) {
	if log := s.Logs[part]; from <= len(log) {
		env.Send(to, Log{part, from, append([]State(nil), log[from:]...)})
	}
}

func (s *Store) lens() (n []int) {
	for p := range s.Logs {
		n = append(n, len(s.Logs[p]))
	}
	return n
}

// mayForget reports whether the protocol must detect a loss: completion is not yet reported.
func (s *Store) mayForget() bool { return !s.Commit.expanded() }

// forget loses the end of a log that was acknowledged.
func (s *Store) forget(env sim.Env) {
	p := env.Choose("log", Parts)
	if n := len(s.Logs[p]); n > 0 {
		s.Logs[p], s.Forgot = s.Logs[p][:n-1], true
	}
}
