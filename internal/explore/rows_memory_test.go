package explore

import (
	"context"
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/explore/stateset"
)

// sheet is a graph of pairs of numbers. Each edge increments or halves a number.
type sheet struct {
	randomGraph
	limit func() error
}

const sheetSide = 120

func (*sheet) Words() int          { return 2 }
func (*sheet) Together() [][]int32 { return nil }
func (*sheet) Fingerprint(v []uint32) graph.Fingerprint {
	return graph.Fingerprint{Lo: stateset.Hash(uint64(v[0])<<32 | uint64(v[1]) + 1), Hi: uint64(v[0])<<32 | uint64(v[1])}
}

func (s *sheet) Roots(e *graph.Edges) error {
	e.End(s.Fingerprint([]uint32{0, 0}), 0)
	return nil
}

func (s *sheet) Expand(v []uint32, _ int, e *graph.Edges) error {
	if v[0]%32 == 0 {
		if err := s.limit(); err != nil {
			return err
		}
	}
	to := func(word int, value uint32, note uint8) {
		next := slices.Clone(v)
		next[word] = value
		e.Change(word, value)
		e.End(s.Fingerprint(next), note)
	}
	for word := range v {
		if v[word] < sheetSide-1 {
			to(word, v[word]+1, graph.Recovery*uint8(word))
		}
		to(word, v[word]/2, graph.Recovery)
	}
	return nil
}

func (*sheet) Check(m *graph.FoundState) (bool, error) {
	return m.State[0] > 100 && m.State[1] == 3, nil
}

// hungry searches for dead states twice, and checks the memory in use when it is shown edges.
type hungry struct {
	DeadStates
	own, takes, most, kept int
	bare                   int // states shown without edges

	every uint32
	loop  *Loop
}

// NeedsEdges omits some states, so that only some rows are kept.
func (h *hungry) NeedsEdges(id uint32) bool { return id%h.every != 0 }

func (h *hungry) Visit(id uint32, live bool, note uint8) error {
	h.kept = max(h.kept, h.loop.rows.bytes())
	return h.DeadStates.Visit(id, live, note)
}

func (h *hungry) Bytes() int { return h.DeadStates.Bytes() + h.own }

func (h *hungry) Analyze(ctx context.Context, s *Space) error {
	for pass := range 2 {
		err := s.Pass(ctx, true, func(uint32) bool { return true }, func(id uint32, _ StateEdges, to []uint32) {
			if len(to) < 2 {
				h.bare++
			}
			if pass == 1 || id < s.Len()/2 {
				h.own = h.takes
			}
			if id%16 == 0 {
				h.most, h.kept = max(h.most, s.loop.inUse()), max(h.kept, s.loop.rows.bytes())
			}
		})
		if err != nil {
			return err
		}
	}
	return h.DeadStates.Analyze(ctx, s)
}

// Analyses keep to the memory limit: kept rows are dropped, and if that does not suffice the analysis stops. Its
// results do not depend on the kept rows.
func TestJudgesKeepToTheMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, every := range []uint32{1 << 30, 3} {
		judgesKeepToTheMemory(t, every)
	}
}

func judgesKeepToTheMemory(t *testing.T, every uint32) {
	run := func(most, takes int, set stateset.Kind) (*hungry, Result) {
		h := &hungry{takes: takes, every: every}
		g := &sheet{}
		l, err := New(g, Options{Analysis: h, MaxBytes: most, Visited: set})
		if err != nil {
			t.Fatal(err)
		}
		h.loop, g.limit = l, func() error { return l.Limit(context.Background()) }
		return h, l.Run(context.Background())
	}
	for _, set := range stateset.Kinds {
		free, out := run(0, 0, set)
		if !free.Checked || free.Dead == 0 || out.States != sheetSide*sheetSide || free.kept == 0 {
			t.Fatalf("%s: %+v, %+v", set.Name, free, out)
		}
		some, all := 0, 0
		for most := out.Bytes; most < out.Bytes+2<<20; most += 250_000 {
			h, x := run(most, 0, set)
			switch {
			case x.Stopped == "memory":
				continue
			case h.bare > 0:
				t.Errorf("%s: %d states are shown without edges", set.Name, h.bare)
			case h.most > most:
				t.Errorf("%s: %d bytes in use, of %d", set.Name, h.most, most)
			case h.Checked && (h.Dead != free.Dead || h.Nearest != free.Nearest):
				t.Errorf("%s: %d are dead, not %d", set.Name, h.Dead, free.Dead)
			}
			if h.kept > 0 && h.kept < free.kept {
				some++
			} else if h.kept == free.kept {
				all++
			}
		}
		if h, x := run(out.Bytes+2<<20, 3<<20, set); h.Checked || h.Dead > 0 || x.Err != nil || !x.Complete {
			t.Errorf("%s: without memory %v, %d are dead", set.Name, h.Checked, h.Dead)
		}
		if h, _ := run(out.Bytes+3<<19, 900<<10, set); !h.Checked || h.Dead != free.Dead {
			t.Errorf("%s: with what was kept let go of %v, %d are dead", set.Name, h.Checked, h.Dead)
		} else if h.bare > 0 {
			t.Errorf("%s: %d states are shown without edges", set.Name, h.bare)
		}
		if some == 0 || all == 0 {
			t.Errorf("%s: %d times something was kept, %d times all", set.Name, some, all)
		}
	}
}
