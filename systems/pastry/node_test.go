package pastry

import (
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/sim"
)

// memberOf returns a joined node of the space that knows the given others.
func memberOf(self sim.NodeID, s *space, b bugs, met ...sim.NodeID) (*Node, *fakeEnv) {
	n, env := newNode(self, s, b)
	n.State = Joined
	for _, peer := range met {
		n.meet(env, peer)
	}
	env.take()
	return n, env
}

func expect(t *testing.T, what string, env *fakeEnv, want ...string) {
	t.Helper()
	if got := env.take(); !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

// Keys of 8 bits have two digits, so tables have rows 0 and 1. Node 0 at 00 has leaves 04 and f0 and knows 85. The
// joiner is at 80, outside the leaf set and in the cell of 85.
func TestJoinIsRouted(t *testing.T) {
	s := spaceOfBytes(2, 0x00, 0x04, 0xf0, 0x85, 0x80, 0x03)
	join := Join{Who: 4}
	n, env := memberOf(0, s, 0, 1, 2, 3)
	n.Receive(env, 4, join)
	expect(t, "first hop", env, "4: RowInfo{0 {2 3} 5}", "3: Join{4 1 false}")
	n.Receive(env, 4, Join{Who: 4, StartRow: 2})
	expect(t, "nothing but the leaf set is missing", env, "3: Join{4 2 false}")
	m, other := memberOf(0, s, p1, 1, 2, 3)
	m.Receive(other, 4, Join{Who: 4, StartRow: 2})
	expect(t, "P1", other, "3: Join{4 1 false}")

	n.hear(env, Set(0).With(4))
	n.Receive(env, 4, join)
	expect(t, "hearsay of the joiner", env, "4: RowInfo{0 {2 3} 7}", "3: Join{4 1 false}")
	if n.Table.Has(4) {
		t.Error("hearsay was not dropped")
	}
	for b, next := range map[bugs]string{p4: "4: Join{4 1 false}", p5: "3: Join{4 1 false}"} {
		m, other := memberOf(0, s, b, 1, 2, 3)
		m.hear(other, Set(0).With(4))
		m.Receive(other, 4, join)
		expect(t, knownBugs()[bits.TrailingZeros8(uint8(b))].ID, other, "4: RowInfo{0 {2 3} 6}", next)
	}

	// 03 is covered by the leaf set: its owner is 04, to which the join is routed by distance.
	n.Receive(env, 5, Join{Who: 5})
	expect(t, "leaf set", env, "5: RowInfo{0 {2 3} 7}", "5: RowInfo{1 {1} 7}", "1: Join{5 2 true}")

	// No known node shares a digit with 80, the rare case: 85 has failed.
	n.PeerError(env, 3, sim.ErrReset)
	n.Receive(env, 4, join)
	expect(t, "rare case", env, "4: RowInfo{0 {2} 8}", "2: Join{4 1 true}")
}

// The owner of the joiner's key sends all missing information for which there is room.
func TestWelcome(t *testing.T) {
	s := spaceOfBytes(2, 0x00, 0x04, 0x01)
	n, env := memberOf(0, s, 0, 1)
	n.Receive(env, 2, Join{Who: 2})
	expect(t, "all", env, "2: RowInfo{0 {} 2}", "2: RowInfo{1 {1} 2}", "2: LeafsetInfo{{1} 2}")
	env.room = map[sim.NodeID]int{2: 1}
	n.Receive(env, 2, Join{Who: 2})
	expect(t, "room for one message", env, "2: RowInfo{0 {} 2}")
}

func TestJoin(t *testing.T) {
	s := spaceOfBytes(2, 0x00, 0x04, 0x01, 0x40)
	n, env := newNode(2, s, 0)
	n.JoinOverlay(env, Set(0).With(0))
	expect(t, "asked to join", env, "set joinTimer{}", "0: Join{2 0 false}")
	n.Receive(env, 0, RowInfo{0, Set(0).With(3), 7})
	n.Timer(env, joinTimer{})
	expect(t, "one row has come", env, "set joinTimer{}", "0: Join{2 1 false}")
	n.Receive(env, 0, RowInfo{1, Set(0).With(1), 9})
	n.Receive(env, 3, Join{Who: 3})
	n.Receive(env, 3, Inform{})
	expect(t, "a leaf set is missing", env)

	// 01 lies between 00, which has confirmed its membership, and 04, which has not. 40, which is joining too, is the
	// closest to 01 of all that have.
	n.Receive(env, 0, LeafsetInfo{Set(0).With(1), 8})
	expect(t, "all has come", env, "stop joinTimer{}",
		"set tableTimer{}", "set leafTimer{}", "set recoveryTimer{}",
		"3: RowInfo{0 {} 5}", "3: RowInfo{1 {0 1} 5}", "3: LeafsetInfo{{0} 5}", // which was deferred
		"0: Inform{}", "1: InformRequest{}",
		"0: RowInfoReply{3 7}", "0: LeafsetReply{8}")
	if n.State != Joined {
		t.Errorf("state is %v", n.State)
	}
	n.Receive(env, 1, Inform{})
	expect(t, "a leaf has come", env, "1: Inform{}")
}

// A node that has not joined defers requests of a joiner, and has itself removed by other nodes that take it for a
// member.
func TestNotJoined(t *testing.T) {
	s := spaceOfBytes(2, 0x00, 0x04, 0x01)
	n, env := newNode(0, s, 0)
	n.Receive(env, 1, Join{Who: 2})
	expect(t, "forwarded", env, "1: Remove{}")
	n.Receive(env, 2, Join{Who: 2})
	n.Receive(env, 2, Join{Who: 2, StartRow: 1})
	for _, msg := range []any{Inform{}, InformRequest{}, RowInfo{}, LeafsetInfo{}, RowRequest{}, LeafsetRequest{}, Probe{}, Lookup{}} {
		n.Receive(env, 1, msg)
	}
	expect(t, "ignored", env)
	n.JoinOverlay(env, Set(0).With(0))
	expect(t, "begins a ring", env, "set tableTimer{}", "set leafTimer{}", "2: RowInfo{1 {} 0}", "2: LeafsetInfo{{} 0}")
	n.Receive(env, 0, Join{})
	if !n.echoed {
		t.Error("its own join was not noticed")
	}

	m, env := memberOf(0, s, 0, 1)
	m.Receive(env, 1, Remove{})
	if m.Leaves() != 0 || m.Table != 0 {
		t.Errorf("leaves %v, table %v", m.Leaves(), m.Table)
	}
}

// Old stamps yield news: a joiner that had row 0 at time 0 and the leaf set at time 2.
func TestNews(t *testing.T) {
	n, env := memberOf(0, spaceOfBytes(2, 0x00, 0x14, 0x01), 0)
	n.Receive(env, 1, RowInfoReply{Rows: 3, Stamp: 0})
	expect(t, "row 0 has changed", env, "1: Inform{}", "1: RowInfo{0 {} 2}")
	n.Receive(env, 1, RowInfoReply{Rows: 3, Stamp: 2})
	n.Receive(env, 1, LeafsetReply{Stamp: 2})
	expect(t, "nothing has changed", env)
	n.Receive(env, 2, Inform{})
	n.Receive(env, 1, LeafsetReply{Stamp: 2})
	expect(t, "the leaf set has changed", env, "2: Inform{}", "1: LeafsetInfo{{2} 4}")
}

// Node 0 at 00 meets 10, then learns of 20, which it needs on the left but not on the right.
func TestMaintenance(t *testing.T) {
	n, env := memberOf(0, spaceOfBytes(2, 0x00, 0x10, 0x20, 0x15), 0, 1)
	n.Receive(env, 1, LeafsetRequest{Set(0).With(0).With(2)})
	expect(t, "leaf set", env, "2: InformRequest{}", "1: LeafsetInfo{{} 3}")
	n.Receive(env, 2, Inform{})
	n.Receive(env, 1, RowRequest{0, Set(0).With(3)})
	expect(t, "row", env, "2: Inform{}", "1: RowInfo{0 {2 3} 5}")
	n.Timer(env, leafTimer{})
	expect(t, "leaf timer", env, "set leafTimer{}", "1: LeafsetRequest{{1 2}}", "2: LeafsetRequest{{1 2}}")
	n.Timer(env, tableTimer{})
	expect(t, "table timer", env, "set tableTimer{}", "1: RowRequest{0 {1 2 3}}")
	n.PeerError(env, 1, sim.ErrReset)
	expect(t, "a leaf is lost", env, "3: InformRequest{}")
	n.Receive(env, 3, InformRequest{})
	expect(t, "another is found", env, "3: Inform{}", "3: Inform{}")

	m, env := memberOf(0, n.space, 0)
	m.hear(env, Set(0).With(1))
	m.Timer(env, leafTimer{})
	expect(t, "who may be a leaf is asked until it answers", env, "1: InformRequest{}", "set leafTimer{}", "1: InformRequest{}")
}

// Nodes 1 to 12 are in the cell of 1x, which has room for ten; node 13 is in another.
func TestFullCell(t *testing.T) {
	keys := []uint64{0x00}
	for i := range uint64(12) {
		keys = append(keys, 0x10+i)
	}
	n, _ := newNode(0, spaceOfBytes(2, append(keys, 0x20)...), 0)
	for peer := range sim.NodeID(13) {
		n.addToTable(peer + 1)
	}
	if want := Set(1<<11 - 2).With(13); n.Table != want {
		t.Errorf("table %v, want %v", n.Table, want)
	}
	n.removeFromTable(3)
	if n.addToTable(12); !n.Table.Has(12) {
		t.Errorf("no room for another in %v", n.Table)
	}
}

// Node 3 asks node 0, which refers it to 10, which does not know it.
func TestRecovery(t *testing.T) {
	s := spaceOfBytes(2, 0x00, 0x10, 0xf0, 0x18)
	n, env := memberOf(3, s, 0)
	n.Peers = Set(0).With(0)
	n.Timer(env, recoveryTimer{})
	expect(t, "recovery timer", env, "set recoveryTimer{}", "0 by datagram: Probe{}")
	a, other := memberOf(0, s, 0, 1, 2)
	a.Receive(other, 3, Probe{})
	expect(t, "probe", other, "3 by datagram: ProbeReply{1}")
	for range 2 {
		n.Receive(env, 0, ProbeReply{1})
	}
	n.Receive(env, 1, ProbeReply{3})
	expect(t, "replies", env, "1 by datagram: Probe{}")
	b, other := memberOf(1, s, 0, 0)
	b.Receive(other, 3, Probe{})
	expect(t, "no match", other, "3 by datagram: NoMatch{}")
	n.Receive(env, 1, NoMatch{})
	expect(t, "introduction", env, "1: InformRequest{}")
	b.Receive(other, 3, InformRequest{})
	b.Receive(other, 3, Probe{})
	expect(t, "match", other, "3: Inform{}", "3: Inform{}", "3 by datagram: Match{}")
	n.Receive(env, 1, Match{})
	expect(t, "not known yet", env, "1: InformRequest{}")
	n.Receive(env, 1, Inform{})
	n.Receive(env, 1, Match{})
	expect(t, "known", env, "1: Inform{}")
}

// Node 0 looks up the owner of its own key, which the fake draws, and helps others.
func TestLookup(t *testing.T) {
	n, env := memberOf(0, spaceOfBytes(2, 0x00, 0x10, 0x20), 0, 1, 2)
	n.Lookup(env)
	expect(t, "own key", env)
	if !n.found {
		t.Error("its own key was not found")
	}
	n.Receive(env, 2, Lookup{Key: Key{0x0f << 56}, Source: 2})
	n.Receive(env, 2, Lookup{Key: Key{0x01 << 56}, Source: 2})
	expect(t, "other keys", env, "1: Lookup{0f000000 2 true}", "2: Found{01000000}")

	m, env := memberOf(1, n.space, 0, 0)
	m.Receive(env, 0, Found{Key: Key{0x01 << 56}})
	if m.found {
		t.Error("a node with another key counts")
	}
	m.Receive(env, 0, Found{Key: Key{}})
	if !m.found {
		t.Error("the node whose key it is does not count")
	}
}

// In a ring with correct leaf sets and arbitrary tables, every key is routed to the closest node, in fewer hops than
// there are nodes.
func TestRouting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(1, 16).Draw(t, "nodes")
		s, err := newSpace(count, rapid.SampledFrom([]int{8, 32, 160}).Draw(t, "bits"),
			rapid.SampledFrom([]int{4, 8}).Draw(t, "digit"), 2*rapid.IntRange(1, 3).Draw(t, "half"),
			rapid.IntRange(0, 1000).Draw(t, "salt"))
		if err != nil {
			t.Fatal(err)
		}
		nodes := make([]*Node, count)
		for id := range nodes {
			nodes[id], _ = newNode(sim.NodeID(id), s, 0)
			for peer := range sim.NodeID(count) {
				if peer != nodes[id].self {
					nodes[id].addLeaf(peer)
				}
			}
			known := rapid.Uint64().Draw(t, "known")
			for peer := range (Set(known) & (1<<count - 1)).Without(sim.NodeID(id)).All() {
				nodes[id].addToTable(peer)
			}
		}
		key := anyKey(t, "key")
		owner := slices.MinFunc(nodes, func(a, b *Node) int {
			return number(apart(a.key(), key)).Cmp(number(apart(b.key(), key)))
		})
		at, rare := sim.NodeID(rapid.IntRange(0, count-1).Draw(t, "from")), false
		for range nodes {
			var next sim.NodeID
			if next, rare = nodes[at].nextHop(key, None, rare); next == at {
				break
			}
			at = next
		}
		if apart(nodes[at].key(), key) != apart(owner.key(), key) {
			t.Fatalf("%v ends at %d %v, owner is %d %v", key, at, nodes[at].key(), owner.self, owner.key())
		}
	})
}
