package search

import (
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/search/fpset"
	"github.com/macemc/macemc/sim"
)

// The table agrees with a Go map. Few different low halves make long chains.
func TestVisitedAgainstMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, w := fpset.New(), fpset.New()
		want := map[sim.Fingerprint]fpset.Info{}
		for range rapid.IntRange(0, 3000).Draw(t, "n") {
			f := sim.Fingerprint{Hi: rapid.Uint64Range(0, 200).Draw(t, "hi"), Lo: rapid.Uint64Range(0, 20).Draw(t, "lo")}
			info := fpset.Explored(rapid.IntRange(0, fpset.MaxDepth).Draw(t, "left")) | rapid.SampledFrom([]fpset.Info{0, fpset.WalkedFlag, fpset.RecoversFlag}).Draw(t, "flag")
			table := v
			if rapid.Bool().Draw(t, "other table") {
				table = w
			}
			known := table.Get(f) != 0
			if table.Add(f, info) == known {
				t.Fatalf("known: %v, but add says otherwise", known)
			}
			old := want[f]
			want[f] = max(old&^fpset.FlagMask, info&^fpset.FlagMask) | (old|info)&fpset.FlagMask | fpset.OccupiedFlag
		}
		before := v.N
		if n := v.AddAll(w); v.N != before+n || v.N != len(want) {
			t.Fatalf("%d and %d states, want %d in all", before, n, len(want))
		}
		for f, info := range want {
			if got := v.Get(f); got != info {
				t.Fatalf("%v: %b, want %b", f, got, info)
			}
		}
		v.Reset()
		for f := range want {
			if v.Get(f) != 0 {
				t.Fatal("reset left something")
			}
		}
	})
}

func TestCovers(t *testing.T) {
	for _, c := range []struct {
		info fpset.Info
		left int
		want bool
	}{
		{0, 0, false}, {fpset.RecoversFlag | fpset.OccupiedFlag, 0, false}, {fpset.Explored(0), 0, true}, {fpset.Explored(0), 1, false},
		{fpset.Explored(5) | fpset.WalkedFlag, 5, true}, {fpset.Explored(fpset.MaxDepth), fpset.MaxDepth, true}, {fpset.Explored(fpset.MaxDepth - 1), fpset.MaxDepth, false},
	} {
		if got := c.info.Covers(c.left); got != c.want {
			t.Errorf("%b covers %d: %v, want %v", c.info, c.left, got, c.want)
		}
	}
}

// Splitting keeps all alternatives, in order, in at most n parts of about the same size.
func TestSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := &unit{bound: 7}
		for i := range rapid.IntRange(1, 10).Draw(t, "items") {
			it := item{Path: choose.Path{int32(i)}}
			if rapid.Bool().Draw(t, "choice") {
				it.Next = int32(rapid.IntRange(0, 3).Draw(t, "next"))
				it.Arity = it.Next + int32(rapid.IntRange(1, 9).Draw(t, "left"))
			}
			u.Items = append(u.Items, it)
		}
		list := func(items []item) (out [][2]int32) {
			for _, it := range items {
				if it.Arity == 0 {
					out = append(out, [2]int32{it.Path[0], -1})
				}
				for k := it.Next; k < it.Arity; k++ {
					out = append(out, [2]int32{it.Path[0], k})
				}
			}
			return out
		}
		n := rapid.IntRange(1, 6).Draw(t, "n")
		var got [][2]int32
		parts := u.split(n)
		all := list(u.Items)
		for i, p := range parts {
			part := list(p.Items)
			if p.bound != 7 || len(part) == 0 || i < len(parts)-1 && len(part) != (len(all)+n-1)/n {
				t.Fatalf("part %d of %d has %d of %d alternatives", i, n, len(part), len(all))
			}
			got = append(got, part...)
		}
		if len(parts) > n || !slices.Equal(got, all) {
			t.Fatalf("%v became %v", all, got)
		}
	})
}

func TestHistogram(t *testing.T) {
	var a, b, all Histogram
	for i, v := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 100} {
		all.Add(v)
		if i%2 == 0 {
			a.Add(v)
		} else {
			b.Add(v)
		}
	}
	a.Merge(&b)
	for _, h := range []*Histogram{&all, &a} {
		if h.Count != 10 || h.Min != 0 || h.Max != 100 || !slices.Equal(h.Buckets, []int{1, 1, 2, 4, 1, 0, 0, 1}) {
			t.Errorf("got %+v", h)
		}
	}
	// The fifth value is 4, in the class from 4 to 7.
	if q := all.Quantile(0.5); q != 7 {
		t.Errorf("median class ends at %d, want 7", q)
	}
	if lo, hi := all.Quantile(0), all.Quantile(1); lo != 0 || hi != 100 {
		t.Errorf("quantiles 0 and 1: %d, %d", lo, hi)
	}
}

// Events are drawn by weight: of 49 draws, 40 actions, 8 messages, 1 timer; never an injection if its weight is 0.
func TestDraws(t *testing.T) {
	w := DefaultWeights()
	w.Fault = 0
	d := newDraws(w)
	d.random.Seed(1, 1)
	events := []sim.Event{{Kind: sim.FireTimer}, {Kind: sim.Crash}, {Kind: sim.Deliver}, {Kind: sim.DoAction}}
	var n [4]int
	for range 49_000 {
		n[d.event(events)]++
	}
	for i, want := range []int{1000, 0, 8000, 40_000} {
		if tolerance := want / 10; n[i] < want-tolerance || n[i] > want+tolerance {
			t.Errorf("%v was drawn %d times, want about %d", events[i].Kind, n[i], want)
		}
	}
	if k := d.event(events[1:2]); k != -1 {
		t.Errorf("drew %d where nothing has weight", k)
	}
}

// Only goroutines that the marked function started, directly or not, are reported.
func TestMarked(t *testing.T) {
	waiting := func() (end chan bool) { // until something is sent, twice
		end = make(chan bool)
		began := make(chan bool)
		go func() { go func() { <-end; end <- true }(); close(began) }()
		<-began
		return end
	}
	goesOn := marked(t.Context(), func() {})
	other, own := waiting(), make(chan bool)
	if goesOn() {
		t.Error("a goroutine of others is taken for one of the search")
	}
	goesOn = marked(t.Context(), func() {
		own = waiting()
		other <- true
		<-other
	})
	if !goesOn() {
		t.Error("a goroutine that goes on is not told of, as another one has ended")
	}
	own <- true
	<-own
	for goesOn() {
		runtime.Gosched()
	}
}
