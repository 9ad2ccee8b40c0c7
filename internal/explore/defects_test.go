package explore

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/explore/stateset"
)

// forgetful is a set that sometimes reports a new state as known; confused is one that confuses places.
type forgetful struct {
	*stateset.Fingerprints
	calls int
}

func (s *forgetful) AddAll(k *stateset.Keys, fresh []uint32) []uint32 {
	n := len(fresh)
	fresh = s.Fingerprints.AddAll(k, fresh)
	if s.calls++; s.calls%3 == 0 && len(fresh) > n {
		fresh = fresh[:len(fresh)-1]
	}
	return fresh
}

type confused struct{ *stateset.Fingerprints }

func (s confused) FindAll(k *stateset.Keys, places []uint32) []uint32 {
	places = s.Fingerprints.FindAll(k, places)
	for i := range places {
		places[i] = places[0]
	}
	return places
}

// hasty is a queue that advances to the next depth too early; lost is one that has wrong edge indexes.
type hasty struct{ *queue }

func (q hasty) Pop(item *Item) bool {
	q.More()
	return q.queue.Pop(item)
}

func (q hasty) AtOnce() int { return 0 }

type lost struct{ *queue }

func (q lost) Path(id uint32) []uint32 {
	trail := q.queue.Path(id)
	trail[len(trail)-1] = 0
	return trail
}

// swapped is a stack with the wrong state on top.
type swapped struct{ *stack }

func (s swapped) Pop(item *Item) bool {
	ok := s.stack.Pop(item)
	if ok {
		s.trail = append(s.trail[:0], 0)
	}
	return ok
}

// Each defect is noticed during the exploration of random graphs.
func TestExplore_DefectsFound(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	broken := func(v func() stateset.Visited) []stateset.Kind {
		return []stateset.Kind{{Name: "broken", New: func(graph.Graph) stateset.Visited { return v() }}}
	}
	waits := func(f func(words int) Frontier, shortest bool) []FrontierKind {
		return []FrontierKind{{Name: "broken", Shortest: shortest, New: f}}
	}
	for name, c := range map[string]struct {
		sets      []stateset.Kind
		frontiers []FrontierKind
	}{
		"a state is forgotten": {broken(func() stateset.Visited { return &forgetful{Fingerprints: stateset.NewFingerprints(1)} }),
			Frontiers[:1]},
		"places are confused":       {broken(func() stateset.Visited { return confused{stateset.NewFingerprints(2)} }), Frontiers[:1]},
		"a depth ends too early":    {stateset.Kinds, waits(func(words int) Frontier { return hasty{newQueue(words).(*queue)} }, true)},
		"an edge is mistaken":       {stateset.Kinds, waits(func(words int) Frontier { return lost{newQueue(words).(*queue)} }, true)},
		"the way there is mistaken": {stateset.Kinds, waits(func(words int) Frontier { return swapped{newStack(words).(*stack)} }, false)},
	} {
		noticed := 0
		for seed := range 200 {
			g := rapid.Custom(drawGraph).Example(seed)
			if g.compare(0, c.sets, c.frontiers) != nil {
				noticed++
			}
		}
		if t.Logf("%s: noticed on %d of 200 graphs", name, noticed); noticed == 0 {
			t.Errorf("nobody notices that %s", name)
		}
	}
}
