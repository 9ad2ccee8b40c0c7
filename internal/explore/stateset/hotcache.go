package stateset

import (
	"slices"

	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/explore/memory"
)

// HotCache caches fingerprints, or keys, of states that were found recently. Most states are found again soon, by the
// same events in another order.
type HotCache struct {
	memory        memory.Arena
	first, second *[recentLen]uint64
}

const (
	recentBits = 12
	recentLen  = 1 << recentBits
)

// recentSlot returns the slot of a fingerprint or key. The multiplication spreads keys, unlike their last bits.
func recentSlot(p uint64) uint64 { return p * 0x9E3779B97F4A7C15 >> (64 - recentBits) }

func (r *HotCache) Init(words int) {
	r.memory.Grow(words * recentLen)
	r.first = (*[recentLen]uint64)(r.memory.Words)
	if words == 2 {
		r.second = (*[recentLen]uint64)(r.memory.Words[recentLen:])
	}
	r.Forget()
}

// Forget removes all states.
func (r *HotCache) Forget() {
	clear(r.memory.Words)
	r.first[recentSlot(0)] = 1 // a look-up of 0 must not hit at the start
}

// Free releases the memory.
func (r *HotCache) Free() { r.memory.Free() }

// Sift selects the keys of edges to states that were not found recently. It is branch-free, since hits are
// unpredictable.
func (r *HotCache) Sift(e *graph.Edges, k *Keys) {
	if r.first == nil {
		r.Init(max(1, e.Width))
	}
	n := len(e.Lo)
	k.Edges, k.Lo, k.Hi = slices.Grow(k.Edges[:0], n)[:n], slices.Grow(k.Lo[:0], n)[:n], k.Hi[:0]
	edges, lo, left := k.Edges, k.Lo, 0
	if r.second == nil {
		for t, p := range e.Lo {
			at := &r.first[recentSlot(p)]
			differs := *at ^ p
			*at = p
			edges[left], lo[left] = uint32(t), p
			left += int((differs | -differs) >> 63)
		}
	} else {
		k.Hi = slices.Grow(k.Hi[:0], n)[:n]
		hi := k.Hi
		for t, p := range e.Lo {
			q := e.Hi[t]
			slot := recentSlot(p)
			at, and := &r.first[slot], &r.second[slot]
			differs := (*at ^ p) | (*and ^ q)
			*at, *and = p, q
			edges[left], lo[left], hi[left] = uint32(t), p, q
			left += int((differs | -differs) >> 63)
		}
		k.Hi = hi[:left]
	}
	k.Edges, k.Lo = edges[:left], lo[:left]
}
