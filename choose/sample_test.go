package choose

import (
	"encoding/json"
	"slices"
	"testing"
)

// Enumerations offer both ends of a large draw, each alternative once, always the same ones. A draw at the bound is
// enumerated.
func TestSample(t *testing.T) {
	for _, arity := range []int{EnumeratedArity + 1, 1_000_000, MaxArity} {
		var e Enumerate
		var picks []int
		for e.Next() {
			pick := e.Choose(Point{Kind: Draw, Arity: arity})
			if path := e.Path(); int(path[0]) != pick {
				t.Fatalf("path %v after pick %d", path, pick)
			}
			picks = append(picks, pick)
		}
		slices.Sort(picks)
		if len(picks) != 64 || len(slices.Compact(slices.Clone(picks))) != 64 || picks[15] != 15 || picks[48] != arity-16 || picks[63] != arity-1 ||
			picks[16] <= 15 || picks[47] >= arity-16 {
			t.Errorf("%d alternatives: %v", arity, picks)
		}
	}
	for _, p := range []Point{{Kind: Draw, Arity: EnumeratedArity}, {Kind: Outcome, Arity: MaxArity}} {
		if p.Sampled() || p.Offered() != p.Arity || p.Alternative(77) != 77 {
			t.Errorf("%+v is sampled", p)
		}
	}
}

// Enumerations offer 16 seeds, 0 first. Walks draw any seed.
func TestSample_Seed(t *testing.T) {
	var e Enumerate
	var picks []int
	p := Point{Kind: Seed, Arity: MaxArity}
	for e.Next() {
		picks = append(picks, e.Choose(p))
	}
	if !p.Sampled() || len(picks) != 16 || picks[0] != 0 || !slices.IsSorted(picks) || len(slices.Compact(slices.Clone(picks))) != 16 || picks[15] < MaxArity/16*15 {
		t.Errorf("offered are %v", picks)
	}
	r, all := NewRandom(1, 1), map[int]bool{}
	for range 1000 {
		all[r.Choose(p)] = true
	}
	if len(all) < 990 {
		t.Errorf("%d different seeds in 1000 draws", len(all))
	}
}

// Enumerations and draws keep the seed that there is.
func TestSample_Reseed(t *testing.T) {
	p, r := Point{Kind: Reseed, Arity: MaxArity}, NewRandom(1, 1)
	before := *r
	if pick := r.Choose(p); pick != 0 || *r != before {
		t.Errorf("pick %d, or a draw", pick)
	}
	var e Enumerate
	var s Samples
	for e.Next() {
		pick := e.Choose(p)
		if s.Add(p, pick); pick != 0 {
			t.Errorf("an enumeration picks %d", pick)
		}
	}
	if len(s) != 1 {
		t.Errorf("the samples are %+v, want those of a choice that is not enumerated", s)
	}
}

// Walks draw an end of a large draw half of the time, and otherwise any alternative.
func TestRandomPrefersEnds(t *testing.T) {
	r := NewRandom(1, 1)
	ends, all := 0, map[int]bool{}
	for range 2000 {
		pick := r.Choose(Point{Kind: Draw, Arity: 1_000_000_000})
		if pick < 16 || pick >= 1_000_000_000-16 {
			ends++
		}
		all[pick] = true
	}
	if ends < 900 || ends > 1100 || len(all) < 900 {
		t.Errorf("%d ends, %d different picks", ends, len(all))
	}
}

// Different alternatives are counted across searches. For values read from a report only the number is known.
func TestSamples(t *testing.T) {
	var many Samples
	for i := range 200 {
		many.Add(Point{Kind: Draw, Arity: MaxArity - i, Label: string(rune('a' + i))}, 0)
	}
	if len(many) != 100 {
		t.Errorf("%d labels are kept", len(many))
	}
	var a, b Samples
	for i, s := range []*Samples{&a, &b} {
		for _, pick := range []int{5, 5, 6 + i} {
			s.Add(Point{Kind: Draw, Arity: 100_000 + i, Label: "b"}, pick)
		}
	}
	b.Add(Point{Kind: Draw, Arity: 2}, 1)
	a.Merge(b)
	a.Merge(Samples{{Label: "a", Arity: 100_000, Taken: 4}, {Label: "b", Arity: 100_000, Taken: 2}})
	text, err := json.Marshal(a)
	if want := `[{"label":"a","arity":100000,"taken":4},{"label":"b","arity":100001,"taken":3}]`; err != nil || string(text) != want {
		t.Errorf("got %s, %v, want %s", text, err, want)
	}
	if b[0].Taken != 2 || len(b[0].picks) != 2 {
		t.Errorf("what was merged has changed: %+v", b)
	}
	for i := range 2 * mostTaken {
		b.Add(Point{Kind: Draw, Arity: MaxArity, Label: "b"}, i)
	}
	if b[0].Taken != mostTaken {
		t.Errorf("counted %d alternatives, want %d", b[0].Taken, mostTaken)
	}
}
