package live

import (
	"slices"
	"strings"
	"testing"
)

// Too many buckets for a picture are drawn with their means.
func TestRateMeans(t *testing.T) {
	few := &rate{Bucket: 0.01, Counts: []int{1, 3}}
	many := &rate{Bucket: 0.01, Counts: slices.Repeat(few.Counts, 3000)}
	many.Counts = append(many.Counts, 7)
	if _, of := few.means(); of != 0 || strings.Contains(few.svg("few"), "mean of") {
		t.Errorf("means of %d of few buckets", of)
	}
	means, of := many.means()
	if of != 60 || len(means) != 101 || means[0] != 2 || means[99] != 2 || means[100] != 7 {
		t.Errorf("%v, of %d", means, of)
	}
	if svg := many.svg("many"); !strings.Contains(svg, "; dark: mean of 600ms") || strings.Count(svg, "<path") < 3 {
		t.Errorf("%.1000s", svg)
	}
}
