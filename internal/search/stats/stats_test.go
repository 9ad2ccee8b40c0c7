package stats_test

import (
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
