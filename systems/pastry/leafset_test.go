package pastry

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/sim"
)

// Each half equals the result of sorting: the oracle keeps lists of nodes by distance and truncates them.
func TestLeafSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(2, 12).Draw(t, "nodes")
		length := rapid.SampledFrom([]int{8, 32, 160}).Draw(t, "bits")
		s, err := newSpace(nodes, length, 4, 2*rapid.IntRange(1, 4).Draw(t, "half"), rapid.IntRange(0, 1000).Draw(t, "salt"))
		if err != nil {
			t.Fatal(err)
		}
		n, _ := newNode(0, s, 0)
		var lists [sides][]sim.NodeID
		for range rapid.IntRange(1, 30).Draw(t, "changes") {
			peer := sim.NodeID(rapid.IntRange(1, nodes-1).Draw(t, "peer"))
			add := rapid.IntRange(0, 3).Draw(t, "add") > 0
			before := n.Leaves()
			changed := false
			if add {
				changed = n.addLeaf(peer)
			} else {
				changed = n.removeLeaf(peer)
			}
			for side, list := range lists {
				list = slices.DeleteFunc(list, func(id sim.NodeID) bool { return id == peer })
				if add {
					list = append(list, peer)
				}
				slices.SortFunc(list, func(a, b sim.NodeID) int {
					d := number(s.keys[a].Minus(s.keys[0])).Cmp(number(s.keys[b].Minus(s.keys[0])))
					return cmp.Compare(d*(2*side-1), 0)
				})
				lists[side] = list[:min(len(list), s.half)]
			}
			for side, list := range lists {
				want := Half{Bound: None}
				for _, id := range list {
					want.Nodes, want.Bound = want.Nodes.With(id), id
				}
				if n.Halves[side] != want {
					t.Fatalf("%v half is %v, want %v", side, n.Halves[side], want)
				}
			}
			if want := before.Has(peer) != add && n.Leaves().Has(peer) == add; changed != want {
				t.Fatalf("add %v of %d: %v; leaves were %v, are %v", add, peer, changed, before, n.Leaves())
			}
			if !boundsAgree(0, n) {
				t.Fatal("bounds do not agree")
			}
			if right := lists[right]; len(right) == 0 && n.Right() != None || len(right) > 0 && n.Right() != right[0] {
				t.Fatalf("right neighbour is %d of %v", n.Right(), right)
			}
		}
	})
}

// On a ring of 256 with node 0 at 00 and 2 leaves on each side, e0 and c0 come first. 10 replaces e0 and leaves c0 the
// furthest in clockwise direction. With P3 c0-10 = b0 is above half the ring, so 10 is recorded. When 08 comes, it
// replaces 10 instead of c0, and c0 stays forever.
func TestWrongBound(t *testing.T) {
	s := spaceOfBytes(4, 0x00, 0xe0, 0xc0, 0x10, 0x08)
	for _, c := range []struct {
		bugs   bugs
		first  Half // on the right, after 10
		second Half // after 08
	}{
		{0, Half{Set(0).With(2).With(3), 2}, Half{Set(0).With(3).With(4), 3}},
		{p3, Half{Set(0).With(2).With(3), 3}, Half{Set(0).With(2).With(4), 4}},
	} {
		n, _ := newNode(0, s, c.bugs)
		for _, peer := range []sim.NodeID{1, 2} {
			n.addLeaf(peer)
		}
		if want := (Half{Set(0).With(1).With(2), 1}); n.Halves[right] != want || !boundsAgree(0, n) {
			t.Errorf("bugs %b: right half is %v, want %v", c.bugs, n.Halves[right], want)
		}
		n.addLeaf(3)
		if n.Halves[right] != c.first || boundsAgree(0, n) != (c.bugs == 0) {
			t.Errorf("bugs %b: right half is %v, want %v", c.bugs, n.Halves[right], c.first)
		}
		n.addLeaf(4)
		if n.Halves[right] != c.second {
			t.Errorf("bugs %b: right half is %v, want %v", c.bugs, n.Halves[right], c.second)
		}
	}
}

// With neighbours at 30 and d0, keys from d0 over 00 to 30 are covered.
func TestCovers(t *testing.T) {
	n, _ := newNode(0, spaceOfBytes(2, 0x00, 0x30, 0xd0), 0)
	if n.covers(n.key()) {
		t.Error("a node without leaves covers something")
	}
	n.addLeaf(1) // alone it is furthest on both sides
	if !n.covers(Key{0x80 << 56}) {
		t.Error("a leaf set of all other nodes does not cover the ring")
	}
	n.addLeaf(2)
	for key, want := range map[uint64]bool{0x00: true, 0x30: true, 0x31: false, 0x80: false, 0xcf: false, 0xd0: true, 0xff: true} {
		if got := n.covers(Key{key << 56}); got != want {
			t.Errorf("%02x is covered: %v", key, got)
		}
	}
}
