package explore

import (
	"math/rand/v2"
	"os"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/explore/stateset"
)

// The result is the same, in the same order, for any number of states in memory.
func TestSpilledRandomGraphs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		s := &stateset.Spill{Dir: os.TempDir(), Young: rapid.SampledFrom([]int{1, 3, 10, 50}).Draw(t, "in memory"),
			Bytes: rapid.SampledFrom([]int{0, 1 << 14}).Draw(t, "bytes")}
		most := rapid.SampledFrom([]int{0, 0, 0, 1, 2, 5, 10}).Draw(t, "depth")
		if rapid.Bool().Draw(t, "sleep sets") {
			g.sleep(most, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "asleep"), 1)))
		}
		if err := g.compareSpilled(most, stateset.Kinds[1:], Frontiers[:1], s); err != nil {
			t.Fatal(err)
		}
	})
}

// A set with defective look-ups on disk is noticed.
func TestSpilled_DefectsFound(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	broken := func(change func(*stateset.Spilled) stateset.Visited) []stateset.Kind {
		return []stateset.Kind{{Name: "broken", New: stateset.Kinds[1].New,
			Deferred: func(_ graph.Graph, s *stateset.Spill) stateset.Visited { return change(stateset.NewSpilled(1, s)) }}}
	}
	for name, set := range map[string][]stateset.Kind{
		"what is old is taken for new":   broken(func(s *stateset.Spilled) stateset.Visited { return credulous{s} }),
		"what is new is taken for old":   broken(func(s *stateset.Spilled) stateset.Visited { return suspicious{s} }),
		"another state is taken for old": broken(func(s *stateset.Spilled) stateset.Visited { return shifted{s} }),
		"the filter says no":             broken(func(s *stateset.Spilled) stateset.Visited { s.Filter = stateset.NewSpillFilter(64); return deaf{s} }),
	} {
		noticed := 0
		for seed := range 200 {
			g := rapid.Custom(drawGraph).Example(seed)
			if g.compareSpilled(0, set, Frontiers[:1], &stateset.Spill{Dir: os.TempDir(), Young: 10}) != nil {
				noticed++
			}
		}
		if t.Logf("%s: noticed on %d of 200 graphs", name, noticed); noticed == 0 {
			t.Errorf("nobody notices that %s", name)
		}
	}
}

type credulous struct{ *stateset.Spilled }

func (s credulous) Flush(old func(uint32)) error {
	n := 0
	return s.Spilled.Flush(func(number uint32) {
		if n++; n > 1 {
			old(number)
		}
	})
}

type suspicious struct{ *stateset.Spilled }

func (s suspicious) Flush(old func(uint32)) error {
	if s.Number > 1 {
		old(s.Number - 1)
	}
	return s.Spilled.Flush(old)
}

type shifted struct{ *stateset.Spilled }

func (s shifted) Flush(old func(uint32)) error {
	return s.Spilled.Flush(func(number uint32) { old(number ^ 1) })
}

type deaf struct{ *stateset.Spilled }

func (s deaf) AddAll(k *stateset.Keys, fresh []uint32) []uint32 {
	fresh = s.Spilled.AddAll(k, fresh)
	s.Suspects = s.Suspects[:len(s.Suspects)/2]
	return fresh
}
