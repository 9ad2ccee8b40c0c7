package search

import (
	"runtime"
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/search/stats"
)

func TestHistogram(t *testing.T) {
	var a, b, all stats.Histogram
	for i, v := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 100} {
		all.Add(v)
		if i%2 == 0 {
			a.Add(v)
		} else {
			b.Add(v)
		}
	}
	a.Merge(&b)
	for _, h := range []*stats.Histogram{&all, &a} {
		if h.Count != 10 || h.Min != 0 || h.Max != 100 || !slices.Equal(h.Buckets, []int{1, 1, 2, 4, 1, 0, 0, 1}) {
			t.Errorf("got %+v", h)
		}
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
	goesOn := detectLeaks(t.Context(), func() {})
	other, own := waiting(), make(chan bool)
	if goesOn() {
		t.Error("a goroutine of others is taken for one of the search")
	}
	goesOn = detectLeaks(t.Context(), func() {
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
