package etcdraft

import (
	"testing"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"

	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/sim"
)

func entry(term uint64, data string) *raftpb.Entry {
	return &raftpb.Entry{Term: &term, Data: []byte(data)}
}

// Properties of two nodes hold and fail correctly in either order of the nodes.
func TestPairs(t *testing.T) {
	logs := func(entries ...*raftpb.Entry) *Node { return &Node{log: entries} }
	leads := func(term uint64) *Node { return &Node{Role: raft.StateLeader, Term: term} }
	applied := func(index, last uint64) *Node {
		return &Node{Applied: index, Store: Store{[]Value{{Count: last}}, []uint64{last}}}
	}
	// The nodes may share an entry: entries are immutable.
	shared := entry(2, "y")
	for _, c := range []struct {
		name  string
		holds func(a, b *Node) bool
		a, b  *Node
		want  bool
	}{
		{"two leaders", electionSafety, leads(2), leads(2), false},
		{"leaders of two terms", electionSafety, leads(2), leads(3), true},
		{"a leader and a follower", electionSafety, leads(2), &Node{Term: 2}, true},

		{"equal logs", logMatching, logs(entry(1, "x"), entry(2, "y")), logs(entry(1, "x"), entry(2, "y")), true},
		{"a log that goes on", logMatching, logs(entry(1, "x")), logs(entry(1, "x"), entry(2, "y")), true},
		{"logs that part", logMatching, logs(entry(1, "x"), entry(2, "y")), logs(entry(1, "x"), entry(3, "z")), true},
		{"another entry of the same term", logMatching, logs(entry(1, "x")), logs(entry(1, "y")), false},
		{"another entry below an equal one", logMatching, logs(entry(1, "x"), entry(2, "y")), logs(entry(2, "x"), entry(2, "y")), false},
		{"another entry below a shared one", logMatching, logs(entry(1, "x"), shared), logs(entry(2, "x"), shared), false},
		{"another entry of the same term below a shared one", logMatching, logs(entry(1, "x"), shared), logs(entry(1, "z"), shared), false},

		{"equal stores", stateMachines, applied(3, 1), applied(3, 1), true},
		{"stores that differ", stateMachines, applied(3, 1), applied(3, 2), false},
		{"stores that have applied more", stateMachines, applied(3, 1), applied(4, 2), true},
		{"equal values of other writes", stateMachines, applied(3, 1),
			&Node{Applied: 3, Store: Store{[]Value{macetime.MonotoneTime{Count: 1}}, []uint64{2}}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, back := c.holds(c.a, c.b), c.holds(c.b, c.a); got != c.want || back != c.want {
				t.Errorf("holds %v, and %v the other way round; want %v", got, back, c.want)
			}
		})
	}
}

// Properties are evaluated after every step of a walk.
func TestPairs_AllocateNothing(t *testing.T) {
	var v sim.View
	v.Hook().Services = []sim.Service{&Node{}, nil, &Node{}}
	for _, p := range properties(&options{}) {
		if p.Always == nil {
			continue
		}
		if n := testing.AllocsPerRun(100, func() { p.Always(&v) }); n != 0 {
			t.Errorf("%q makes %v allocations, want 0", p.Name, n)
		}
	}
}
