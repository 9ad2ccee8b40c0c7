package oracle

import (
	"fmt"
	"slices"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/sim"
)

// Quorum takes sets of votes. The program for messages runs once for a set, with the sum of the values as its
// argument.
type Quorum struct {
	Need  [Phases]int // by phase: number of senders of a set; 0: it takes nothing; negative: it never will
	Any   bool        `json:",omitempty"` // sets of any size; Need is ignored
	Same  bool        `json:",omitempty"` // all votes of a set have the same value
	Not   int         `json:",omitempty"` // votes of node Not-1 do not fit; 0: all fit
	Guard int         `json:",omitempty"` // reject if the sum of the values is Guard-1 modulo three; 0: accept all
}

func quorumName(k int) string { return fmt.Sprintf("taken%d", k) }

// vote is a message for quorums.
type vote int

// quorums returns the quorums of the script for the engines.
func (s *Script) quorums() (list []sim.AnyQuorum) {
	for k, q := range s.Quorums {
		if s.Pointers {
			list = append(list, quorumOf(k, q, func(v *vote) int { return int(*v) }))
		} else {
			list = append(list, quorumOf(k, q, func(v vote) int { return int(v) }))
		}
	}
	return list
}

func quorumOf[M any](k int, q Quorum, value func(M) int) sim.AnyQuorum {
	sum := func(set []sim.From[M]) (sum int) {
		for _, m := range set {
			sum += value(m.Msg)
		}
		return sum % Phases
	}
	made := sim.Quorum[service, M]{Name: quorumName(k), Do: func(p service, env sim.Env, set []sim.From[M]) { p.take(env, sum(set)) }}
	if !q.Any {
		made.Need = func(p service) int { return q.Need[p.phase()] }
	}
	if q.Same {
		made.Key = func(m M) any { return value(m) }
	}
	if q.Not > 0 {
		made.Fits = func(_ service, from sim.NodeID, _ M) bool { return int(from) != q.Not-1 }
	}
	if q.Any || q.Guard > 0 {
		made.Guard = func(_ service, set []sim.From[M]) bool { return sum(set) != q.Guard-1 }
	}
	return made
}

// taken reports whether messages of a value are votes.
func (m *model) taken(value int) bool { return has(m.script.Votes, value) }

// quorumEvents lists the sets of votes that a node can take: all sets that the quorum accepts.
func (m *model) quorumEvents(s *state, i int) (out []event) {
	var votes []datagram
	for _, d := range s.bags[i] {
		if m.taken(d.value) && !slices.Contains(votes, d) {
			votes = append(votes, d)
		}
	}
	for k := range m.script.Quorums {
		for subset := 1; subset < 1<<len(votes); subset++ {
			var set []datagram
			for v, d := range votes {
				if has(uint(subset), v) {
					set = append(set, d)
				}
			}
			slices.SortFunc(set, func(a, b datagram) int { return a.from - b.from })
			if m.takes(&m.script.Quorums[k], set, s.nodes[i].phase) {
				out = append(out, event{kind: eventkind.TakeQuorum, node: i, peer: -1, what: k, set: set})
			}
		}
	}
	return out
}

// takes reports whether a quorum takes a set of votes in a phase.
func (m *model) takes(q *Quorum, set []datagram, phase int) bool {
	if !q.Any && len(set) != q.Need[phase] {
		return false
	}
	sum := 0
	for n, d := range set {
		sum += d.value
		switch {
		case d.from == q.Not-1 && m.defect != unfitVotes:
			return false
		case n > 0 && q.Same && d.value != set[0].value && m.defect != mixVotes:
			return false
		case n > 0 && d.from == set[n-1].from && m.defect != voteTwice:
			return false
		}
	}
	return sum%Phases != q.Guard-1 || m.defect == ignoreGuards
}

// never records the quorums of a node that will take nothing more.
func (m *model) never(n *node) {
	for k, q := range m.script.Quorums {
		if !q.Any && q.Need[n.phase] < 0 {
			n.never |= 1 << k
		}
	}
}

// needsAgain returns the finding that a quorum breaks its promise to take nothing more.
func (m *model) needsAgain(n *node, i int) *finding {
	for k, q := range m.script.Quorums {
		if n.up && has(n.never, k) && q.Need[n.phase] >= 0 {
			return &finding{sim.Safety, sim.QuorumProperty, fmt.Sprintf(
				"quorum %q: Need was negative, which says that no set will be taken any more, crashes included; now it is %d", quorumName(k),
				q.Need[n.phase]), i}
		}
	}
	return nil
}

// takeVotes removes a set of votes, and returns the sum of their values.
func (m *model) takeVotes(s *state, ev event) (sum int) {
	for n, d := range ev.set {
		if sum += d.value; n == 0 || m.defect != leaveVotes {
			s.remove(ev.node, d)
		}
	}
	return sum % Phases
}

// quorums draws quorums, for systems that can have them.
func (d drawer) quorums(s *Script) {
	if !s.Datagrams || s.Streams || s.Timing == sim.Prompt || !d.chance(2) {
		return
	}
	s.Votes = []uint{7, 6, 5, 3, 1 << d.n(Phases)}[d.n(5)]
	for k := range s.Programs { // so that there is a choice
		for range d.n(4) {
			boot := &s.Programs[k][OnBoot][0]
			*boot = append([]Op{{Do: Send, A: d.weighted(3, 1) % s.Nodes, B: d.n(Phases)}}, *boot...)
		}
	}
	for range 1 + d.weighted(3, 1) {
		q := Quorum{Any: d.chance(4), Same: d.chance(2)}
		for phase := range q.Need {
			q.Need[phase] = []int{1, 2, 0, -1}[d.weighted(4, 6, 3, 4)]
		}
		if d.chance(4) {
			q.Not = 1 + d.n(s.Nodes)
		}
		if d.chance(3) {
			q.Guard = 1 + d.n(Phases)
		}
		s.Quorums = append(s.Quorums, q)
	}
}
