package explore

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/explore/stateset"
)

// A defect in one row is noticed: a redirected edge, in rows of any length, or a lost mark.
func TestRows_DefectsFound(t *testing.T) {
	for name, spoil := range map[string]func(row, names []uint32) bool{
		"the last edge of a long row is redirected": func(row, _ []uint32) bool {
			if len(row) < 4 {
				return false
			}
			row[len(row)-1] ^= 1
			return true
		},
		"the only edge is redirected": func(row, _ []uint32) bool {
			if len(row) != 1 {
				return false
			}
			row[0] ^= 1
			return true
		},
		"a mark of recovery is lost": func(row, _ []uint32) bool {
			k := slices.IndexFunc(row, func(edge uint32) bool { return edge&kept != 0 })
			if k >= 0 {
				row[k] &^= kept
			}
			return k >= 0
		},
		"a name is another one": func(row, names []uint32) bool {
			if len(row) > 0 {
				names[len(row)-1]++
			}
			return len(row) > 0
		},
	} {
		spoilt := 0
		for seed := range uint64(30) {
			done := false
			j := &shown{g: drawShown(seed), every: 1 << 30, names: true, drop: -1, within: -1, forget: 1 << 30, spoil: func(row, names []uint32) {
				done = done || spoil(row, names)
			}}
			err := j.show(Options{})
			if done {
				spoilt++
			}
			if done != (err != nil) {
				t.Fatalf("%s: seed %d: %v, and noticed is %v", name, seed, done, err)
			}
		}
		if spoilt == 0 {
			t.Errorf("%s in no graph", name)
		}
	}
}

// A defect in one row of fingerprints is noticed, too.
func TestRows_FingerprintDefectsFound(t *testing.T) {
	for name, spoil := range map[string]func(prints, bits, rest []uint32) bool{
		"an edge leads nowhere": func(prints, _, _ []uint32) bool {
			if len(prints) == 0 {
				return false
			}
			prints[len(prints)-1] ^= 1
			return true
		},
		"an edge leads to where the next one does": func(prints, _, _ []uint32) bool {
			if len(prints) < 8 || slices.Equal(prints[:2], prints[2:4]) {
				return false
			}
			copy(prints, prints[2:4])
			return true
		},
		"a mark of recovery is another one": func(prints, bits, _ []uint32) bool {
			if len(prints) == 0 {
				return false
			}
			bits[0] ^= 1
			return true
		},
		"a name is another one": func(prints, _, rest []uint32) bool {
			if len(prints) == 0 {
				return false
			}
			rest[0]++
			return true
		},
		"the state is another one": func(_, _, rest []uint32) bool {
			rest[len(rest)-1]++
			return true
		},
	} {
		for _, set := range stateset.Kinds[1:] {
			spoilt := 0
			for seed := range uint64(30) {
				done := false
				j := &shown{g: drawShown(seed), every: 1 << 30, names: true, drop: -1, within: -1, forget: 1 << 30, spoilUnknown: func(prints, bits, rest []uint32) {
					done = done || spoil(prints, bits, rest)
				}}
				err := j.show(Options{Visited: set})
				if done {
					spoilt++
				}
				if done != (err != nil) {
					t.Fatalf("%s, %s: seed %d: %v, and noticed is %v", set.Name, name, seed, done, err)
				}
			}
			if spoilt == 0 {
				t.Errorf("%s: %s in no graph", set.Name, name)
			}
		}
	}
}

// A row holds the target of each edge, which may be an unvisited state, and its mark of the recovery relation: at once,
// or once it is known.
func TestRows_Kept(t *testing.T) {
	for width := range 3 {
		l := &Loop{}
		r := &l.rows
		r.width, r.names = width, true
		b := &Batch{words: 2, stride: 2, ids: []uint32{4, 2}, parents: []uint32{11, 12, 13, 14}, last: []uint32{40, 40}, passed: []int{0, 2}}
		b.Width = width
		to := make([]uint32, 40)
		for k := range to {
			if to[k] = uint32(k); k == 7 || k == 39 {
				to[k] = stateset.NoPlace
			}
			b.End(graph.Fingerprint{Lo: stateset.Hash(uint64(k)), Hi: stateset.Hash(uint64(k + 1))}, uint8(k%3)*(graph.Recovery/2)|3)
			b.Names[k] = uint32(100 + k)
		}
		if width == 0 {
			l.keepRow(b, 0, to)
			l.keepRow(b, 1, nil)
		} else {
			r.words = 2
			l.keepUnknown(b, 0)
			l.keepUnknown(b, 1)
			other := &Batch{words: 2, stride: 2}
			other.Width = width
			r.enter(other, 4)
			r.enter(other, 2)
			if !slices.Equal(other.Lo, b.Lo) || width == 2 && !slices.Equal(other.Hi, b.Hi) || !slices.Equal(other.Names, b.Names) ||
				!slices.Equal(other.last, b.last) || !slices.Equal(other.parents, b.parents) || !slices.Equal(other.ids, b.ids) {
				t.Errorf("%+v is entered, not %+v", other, b)
			}
			for k, note := range other.Notes {
				if note != b.Notes[k]&graph.Recovery {
					t.Errorf("edge %d is entered with %x", k, note)
				}
			}
			r.know(4, to)
			r.know(2, nil)
			r.know(4, nil) // no change: it is known
		}
		for _, parent := range []int{0, 1} {
			kept, names, state := r.parts(r.of(b.ids[parent]))
			if parent == 1 && len(kept)+len(names) > 0 || parent == 0 && (!slices.Equal(placesOf(kept, nil), to) || !slices.Equal(names, b.Names)) {
				t.Errorf("%v, %v", kept, names)
			}
			if r.words > 0 && !slices.Equal(state, b.parent(parent)) {
				t.Errorf("%v", state)
			}
			for k := range kept {
				if shown := (StateEdges{space: &Space{}, kept: kept}); shown.Recovers(k) != (b.Notes[k]&graph.Recovery != 0) {
					t.Errorf("edge %d", k)
				}
			}
		}
		if r.sparse(4) || r.sparse(2) != (width == 0) {
			t.Errorf("width %d: rows lack edges: %v, %v", width, r.sparse(4), r.sparse(2))
		}
		if !r.has(2) || r.has(3) {
			t.Error("another row is kept")
		}
	}
}
