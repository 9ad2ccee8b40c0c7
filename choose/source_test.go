package choose_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/pathfile"
)

func draw(arity int, weights ...int) choose.Point {
	return choose.Point{Kind: choose.Draw, Arity: arity, Weights: weights, Label: "x"}
}

func TestFirst(t *testing.T) {
	for _, c := range []struct {
		p    choose.Point
		want int
	}{
		{draw(3), 0},
		{draw(3, 0, 5, 0), 1},
		{draw(3, 1, 5, 0), 0},
	} {
		if got := choose.First.Choose(c.p); got != c.want {
			t.Errorf("First.Choose(%v) = %d, want %d", c.p, got, c.want)
		}
	}
}

func TestParseKind_FindsEachKind(t *testing.T) {
	for k := choose.Event; k <= choose.HaltInside; k++ {
		if k.Class().Class() != k.Class() || k.String() == "" || k.String() != k.Class().String() || k != k.Class() && k.Label() == "" {
			t.Errorf("kind %d: class %d, word %q, label %q", k, k.Class(), k.String(), k.Label())
		}
		if got, ok := pathfile.ParseKind(k.String(), k.Label()); !ok || got != k {
			t.Errorf("ParseKind(%q, %q) = %v, %v", k.String(), k.Label(), got, ok)
		}
		if got, ok := pathfile.ParseKind(k.String(), "another label"); !ok || got != k.Class() {
			t.Errorf("ParseKind(%q, another label) = %v, %v, want its class", k.String(), got, ok)
		}
	}
	if k, ok := pathfile.ParseKind("drawn", ""); ok {
		t.Errorf("ParseKind of an unknown word gave %v", k)
	}
}

func TestPrefixHandsOver(t *testing.T) {
	then := &recorder{source: choose.SourceFunc(func(p choose.Point) int { return p.Arity - 1 })}
	x := choose.Prefix{Path: choose.Path{2, 0, 1}, Then: then}
	var got []int
	for _, p := range []choose.Point{
		draw(3),                          // 2
		draw(1),                          // not in the path: 0, without consuming
		{Kind: choose.Event, Arity: 1},   // 0, in the path although forced
		draw(2),                          // 1; the path ends here
		draw(1),                          // not passed to Then either
		draw(4),                          // 3, by Then
		{Kind: choose.Compare, Arity: 2}, // 1, by Then
	} {
		got = append(got, x.Choose(p))
	}
	if want := []int{2, 0, 0, 1, 0, 3, 1}; !slices.Equal(got, want) {
		t.Errorf("answers %v, want %v", got, want)
	}
	if !x.Done() || x.Pos() != 3 || x.Err() != nil {
		t.Errorf("Done %v, Pos %d, Err %v", x.Done(), x.Pos(), x.Err())
	}
	if got, want := then.path(), (choose.Path{3, 1}); !slices.Equal(got, want) {
		t.Errorf("asked of Then: %v, want %v", got, want)
	}
}

func TestPrefixRemembersMisfit(t *testing.T) {
	asked := false
	x := choose.Prefix{
		Path: choose.Path{1, 7, 0},
		Then: choose.SourceFunc(func(choose.Point) int { asked = true; return 0 }),
	}
	x.Choose(draw(2))
	if got := x.Choose(draw(2, 0, 1)); got != 1 {
		t.Errorf("after a mismatch the answer is %d, want First's 1", got)
	}
	const want = `choice 2 of the path picks alternative 7, but draw "x" has 2 (counted from 0)`
	if x.Err() == nil || x.Err().Error() != want {
		t.Errorf("Err() = %v, want %s", x.Err(), want)
	}
	if got := x.Choose(draw(9)); got != 0 {
		t.Errorf("a path that did not fit goes on with %d", got)
	}
	if _, ok := x.Take(); ok || asked || x.Pos() != 1 || x.Done() {
		t.Errorf("a path that did not fit went on: Take %v, Then asked %v, Pos %d", ok, asked, x.Pos())
	}
	negative := choose.Prefix{Path: choose.Path{-1}}
	if negative.Choose(draw(2)); negative.Err() == nil {
		t.Error("a negative pick went unnoticed")
	}
}

func TestPrefixTake(t *testing.T) {
	x := choose.Prefix{Path: choose.Path{40, 1}}
	if pick, ok := x.Take(); pick != 40 || !ok {
		t.Errorf("Take() = %d, %v, want 40, true", pick, ok)
	}
	if got := x.Choose(draw(2)); got != 1 {
		t.Errorf("Choose after Take gave %d, want 1", got)
	}
	if _, ok := x.Take(); ok {
		t.Error("Take went beyond the end")
	}
	if got := x.Choose(draw(2)); got != 0 {
		t.Errorf("without Then the answer is %d, want 0", got)
	}
}

func TestRandomNeverDrawsWeightZero(t *testing.T) {
	r := choose.NewRandom(1, 2)
	for range 10_000 {
		if got := r.Choose(draw(3, 0, 5, 0)); got != 1 {
			t.Fatalf("weights 0,5,0 gave %d", got)
		}
	}
}

// The expected count of each alternative is n*w/total, and its standard deviation is below the square root of that. A
// difference of 5 deviations has a probability of 1 in 1.7 million, and the stream is fixed.
func TestRandomFollowsWeights(t *testing.T) {
	const n = 100_000
	r := choose.NewRandom(7, 0)
	for _, weights := range [][]int{{40, 8, 1}, {0, 1, 3}, {1, 1, 1, 1, 1}, nil} {
		p := draw(6)
		if weights != nil {
			p = draw(len(weights), weights...)
		}
		counts, total := make([]int, p.Arity), 0
		for i := range p.Arity {
			total += p.Weight(i)
		}
		for range n {
			counts[r.Choose(p)]++
		}
		for i, got := range counts {
			want := float64(n) * float64(p.Weight(i)) / float64(total)
			if math.Abs(float64(got)-want) > 5*math.Sqrt(want) {
				t.Errorf("weights %v: alternative %d drawn %d times, want about %.0f", weights, i, got, want)
			}
		}
	}
}

// A bound of 3*2^61 exposes every bias: 2^64 is 8*2^61, so of the 8 numbers that share 3 results two results get 3 and
// one gets 2, unless some numbers are rejected. With a plain product that is the result 2 modulo 3, with a plain
// remainder those in the upper third.
func TestRandomIntNIsUnbiased(t *testing.T) {
	const n, bound = 30_000, 3 << 61
	r := choose.NewRandom(3, 3)
	var residues, thirds [3]int
	for range n {
		x := r.IntN(bound)
		if x < 0 || x >= bound {
			t.Fatalf("IntN(%d) = %d", bound, x)
		}
		residues[x%3]++
		thirds[x/(bound/3)]++
	}
	for _, counts := range [][3]int{residues, thirds} {
		for _, got := range counts { // 10,000 expected, standard deviation 82, biased 7,500
			if math.Abs(float64(got)-n/3) > 5*82 {
				t.Errorf("modulo 3: %v, by thirds: %v", residues, thirds)
			}
		}
	}
}

func TestRandomFaults(t *testing.T) {
	p := choose.Point{Kind: choose.Fault, Arity: 2, Weights: []int{1, 9}}
	off, twin := choose.NewRandom(1, 1), choose.NewRandom(1, 1)
	for range 100 {
		if off.Choose(p) != 0 {
			t.Fatal("a fault struck although Faults is off")
		}
	}
	if off.Uint64() != twin.Uint64() {
		t.Error("a fault point took a draw although Faults is off")
	}
	on, struck := choose.NewRandom(1, 1), 0
	on.Faults = true
	for range 1000 {
		struck += on.Choose(p)
	}
	if struck < 850 || struck > 950 { // 900 expected, standard deviation 9.5
		t.Errorf("%d of 1000 faults of weight 9 in 10 struck", struck)
	}
}

func TestRandomRefusesBadWeights(t *testing.T) {
	for _, p := range []choose.Point{draw(2, 0, 0), draw(2, -1, 3), draw(3, 1, 1)} {
		func() {
			defer func() {
				if msg, _ := recover().(string); !strings.Contains(msg, `draw "x"`) {
					t.Errorf("%v: panic %q does not name the point", p, msg)
				}
			}()
			choose.NewRandom(1, 1).Choose(p)
		}()
	}
}

// The first draws of a seed are part of the contract: the seed of a report must give the same run in later versions.
func TestRandomIsStable(t *testing.T) {
	r := choose.NewRandom(1, choose.Derive(1, choose.Path{3, 0, 2}))
	var got []int
	for range 12 {
		got = append(got, r.IntN(10))
	}
	again := choose.Random{}
	again.Seed(1, choose.Derive(1, choose.Path{3, 0, 2}))
	for i, want := range got {
		if x := again.IntN(10); x != want {
			t.Fatalf("draw %d: %d, then %d", i, want, x)
		}
	}
	if want := []int{3, 0, 9, 0, 4, 1, 4, 3, 3, 2, 9, 9}; !slices.Equal(got, want) {
		t.Errorf("first draws %v, want %v", got, want)
	}
}

func TestDerive(t *testing.T) {
	seen := map[uint64]string{}
	long := make(choose.Path, 200) // more than one block
	for name, stream := range map[string]uint64{
		"empty":      choose.Derive(1, nil),
		"other seed": choose.Derive(2, nil),
		"0":          choose.Derive(1, choose.Path{0}),
		"0,0":        choose.Derive(1, choose.Path{0, 0}),
		"1,0":        choose.Derive(1, choose.Path{1, 0}),
		"0,1":        choose.Derive(1, choose.Path{0, 1}),
		"200":        choose.Derive(1, long),
		"199":        choose.Derive(1, long[:199]),
		"last":       choose.Derive(1, append(long.Clone()[:199], 1)),
	} {
		if other, ok := seen[stream]; ok {
			t.Errorf("%s and %s derive the same stream", name, other)
		}
		seen[stream] = name
	}
}

func TestDrawsDoNotAllocate(t *testing.T) {
	r := choose.NewRandom(1, 1)
	p, path := draw(3, 40, 8, 1), make(choose.Path, 1000)
	if n := testing.AllocsPerRun(100, func() {
		r.Seed(1, choose.Derive(1, path))
		r.Choose(p)
		r.IntN(49)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// answer is a point and its pick.
type answer struct {
	kind        choose.Kind
	arity, pick int
}

// recorder records the answers of a source.
type recorder struct {
	source  choose.Source
	answers []answer
}

func (r *recorder) Choose(p choose.Point) int {
	pick := r.source.Choose(p)
	r.answers = append(r.answers, answer{p.Kind, p.Arity, pick})
	return pick
}

// path returns the picks that belong to a path.
func (r *recorder) path() (path choose.Path) {
	for _, a := range r.answers {
		if (choose.Point{Kind: a.kind, Arity: a.arity}).InPath() {
			path = append(path, int32(a.pick))
		}
	}
	return path
}

// A prefix reproduces a recorded path.
func TestRecordedPathReplays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		points := rapid.SliceOf(rapid.Custom(func(t *rapid.T) choose.Point {
			return choose.Point{
				Kind:  choose.Kind(rapid.IntRange(0, 4).Draw(t, "kind")),
				Arity: rapid.IntRange(1, 4).Draw(t, "arity"),
			}
		})).Draw(t, "points")
		first := recorder{source: choose.NewRandom(rapid.Uint64().Draw(t, "seed"), 0)}
		for _, p := range points {
			first.Choose(p)
		}
		prefix := &choose.Prefix{Path: first.path()}
		second := recorder{source: prefix}
		for _, p := range points {
			second.Choose(p)
		}
		if !slices.Equal(first.answers, second.answers) || prefix.Err() != nil || !prefix.Done() {
			t.Fatalf("%v replayed as %v, %v", first.answers, second.answers, prefix.Err())
		}
	})
}

// A first draw of 2; after 0 a draw of 3, after 1 a forced one and a draw of 2: 3 + 2 sequences.
func TestEnumerate(t *testing.T) {
	var e choose.Enumerate
	var got []string
	for e.Next() {
		if e.Choose(draw(2)) == 0 {
			e.Choose(draw(3, 0, 0, 1)) // weights do not matter
		} else {
			e.Choose(draw(1))
			e.Choose(choose.Point{Kind: choose.Event, Arity: 2})
		}
		var b strings.Builder
		for _, pick := range e.Path() {
			b.WriteByte(byte('0' + pick))
		}
		got = append(got, b.String())
	}
	if want := []string{"00", "01", "02", "10", "11"}; !slices.Equal(got, want) {
		t.Errorf("sequences %v, want %v", got, want)
	}
	if e.Next() {
		t.Error("an exhausted enumeration goes on")
	}
}

// n elements shuffled by draws of arity n, n-1, ..., 2 give each of the n! permutations once.
func TestEnumeratePermutations(t *testing.T) {
	var e choose.Enumerate
	seen := map[[4]int]int{}
	for e.Next() {
		perm := [4]int{0, 1, 2, 3}
		for i := 3; i > 0; i-- {
			j := e.Choose(draw(i + 1))
			perm[i], perm[j] = perm[j], perm[i]
		}
		seen[perm]++
	}
	if len(seen) != 24 {
		t.Errorf("%d permutations, want 24", len(seen))
	}
	for perm, n := range seen {
		if n != 1 {
			t.Errorf("%v came %d times", perm, n)
		}
	}
}

func TestEnumerateNoticesOtherInfluences(t *testing.T) {
	for name, second := range map[string]func(*choose.Enumerate){
		"fewer points": func(e *choose.Enumerate) {},
		"other arity":  func(e *choose.Enumerate) { e.Choose(draw(3)) },
	} {
		func() {
			defer func() {
				if msg, _ := recover().(string); !strings.Contains(msg, "depends on more than the answers") {
					t.Errorf("%s: panic %q", name, msg)
				}
			}()
			var e choose.Enumerate
			e.Next()
			e.Choose(draw(2))
			e.Next()
			second(&e)
			e.Next()
		}()
	}
}

func BenchmarkRandomWeighted(b *testing.B) {
	r, p := choose.NewRandom(1, 1), draw(5, 40, 8, 8, 8, 1)
	for b.Loop() {
		r.Choose(p)
	}
}

func BenchmarkRandomIntN(b *testing.B) {
	r := choose.NewRandom(1, 1)
	for b.Loop() {
		r.IntN(65)
	}
}
