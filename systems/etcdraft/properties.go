package etcdraft

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.etcd.io/raft/v3"

	"github.com/macemc/macemc/sim"
)

// Names of the properties.
const (
	ElectionSafety = "election safety"
	LogMatching    = "log matching"
	StateMachines  = "state-machine safety"
	LeaderFollowed = "a leader is followed by all members"
	Progress       = "all is applied and no client waits"
	Written        = "a write returns"
)

// properties returns the properties, without those of monitors.
func properties(o *options) []sim.Property {
	list := []sim.Property{
		{Name: ElectionSafety, Always: pairs(electionSafety), Explain: explain},
		{Name: LogMatching, Always: pairs(logMatching), Explain: explain},
		{Name: StateMachines, Always: pairs(stateMachines), Explain: explain},
	}
	if o.timeouts {
		list = append(list,
			sim.Property{Name: LeaderFollowed, Eventually: leaderFollowed, Explain: explain},
			sim.Property{Name: Progress, Eventually: progress, Explain: explain})
	}
	return append(list, sim.Property{Name: Written, Sometimes: written})
}

// pairs lifts a property of any two nodes.
func pairs(holds func(a, b *Node) bool) func(*sim.View) bool {
	return func(v *sim.View) bool { return holdsOfPairs(v, holds) }
}

func holdsOfPairs(v *sim.View, holds func(a, b *Node) bool) bool {
	for id, a := range sim.Nodes[*Node](v) {
		for other := range id {
			if b, ok := v.Service(other).(*Node); ok && !holds(a, b) {
				return false
			}
		}
	}
	return true
}

func electionSafety(a, b *Node) bool { return !a.leads() || !b.leads() || a.Term != b.Term }

// logMatching reports whether the logs are equal up to the last entry that has the same index and term in both.
func logMatching(a, b *Node) bool {
	same := false
	for i := min(len(a.log), len(b.log)) - 1; i >= 0; i-- {
		x, y := a.log[i], b.log[i]
		switch {
		case x == y:
			same = true
		case x.GetTerm() == y.GetTerm():
			same = true
			if x.GetType() != y.GetType() || !bytes.Equal(x.GetData(), y.GetData()) {
				return false
			}
		case same:
			return false
		}
	}
	return true
}

func stateMachines(a, b *Node) bool {
	return a.Applied != b.Applied ||
		slices.Equal(a.Store.Values, b.Store.Values) && slices.Equal(a.Store.Last, b.Store.Last)
}

// leader returns the leader of the highest term, or nil if there is none.
func leader(v *sim.View) *Node {
	var found *Node
	for _, n := range sim.Nodes[*Node](v) {
		if n.leads() && (found == nil || n.Term > found.Term) {
			found = n
		}
	}
	return found
}

// members reports whether all members of the leader's configuration are up and satisfy holds.
func members(v *sim.View, holds func(leader, member *Node) bool) bool {
	l := leader(v)
	if l == nil || !l.member(l.Lead) {
		return false
	}
	for _, id := range l.Members {
		if n, ok := v.Service(sim.NodeID(id - 1)).(*Node); !ok || !holds(l, n) {
			return false
		}
	}
	return true
}

func leaderFollowed(v *sim.View) bool {
	return members(v, func(l, n *Node) bool { return n.Lead == l.Lead && n.Term == l.Term })
}

func progress(v *sim.View) bool {
	return members(v, func(l, n *Node) bool {
		return len(n.log) == len(l.log) && n.Applied == uint64(len(n.log)) && !n.Client.Waits
	})
}

func (n *Node) member(id uint64) bool { return slices.Contains(n.Members, id) }

// written reports whether some client's write has returned.
func written(v *sim.View) bool {
	for id, n := range sim.Nodes[*Node](v) {
		if n.Store.Last[id] > 0 && !n.Client.Waits {
			return true
		}
	}
	return false
}

func explain(v *sim.View) string {
	lines := make([]string, v.Len())
	for id := range sim.NodeID(v.Len()) {
		text := "down"
		if n, ok := v.Service(id).(*Node); ok {
			text = fmt.Sprintf("%s in term %d, leader n%d, %d entries, %d committed, %d applied",
				roles[n.Role], n.Term, int(n.Lead)-1, len(n.log), n.Commit, n.Applied)
			if n.Lead == raft.None {
				text = strings.Replace(text, "leader n-1", "no leader", 1)
			}
			if n.Client.Waits {
				text += ", waits for " + n.Client.Op.String()
			}
		}
		lines[id] = fmt.Sprintf("n%d: %s", id, text)
	}
	return strings.Join(lines, "\n")
}

var roles = [...]string{
	raft.StateFollower: "follower", raft.StateCandidate: "candidate", raft.StateLeader: "leader", raft.StatePreCandidate: "pre-candidate",
}
