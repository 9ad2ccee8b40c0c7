package macetime

import (
	"math"
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestBoundsAreOrderedByTightness(t *testing.T) {
	ordered := []bound{lessThan(-maxSpan), atMost(-maxSpan), lessThan(-1), atMost(-1), lessThan(0), atMost(0),
		lessThan(1), atMost(1), lessThan(maxSpan), atMost(maxSpan), unbounded}
	for i := range len(ordered) - 1 {
		if ordered[i] >= ordered[i+1] {
			t.Errorf("%d: %d is not tighter than %d", i, ordered[i], ordered[i+1])
		}
	}
	if notAfter != atMost(0) {
		t.Errorf("notAfter is %d", notAfter)
	}
}

func anySpan() *rapid.Generator[int64] {
	return rapid.OneOf(rapid.Int64Range(-5, 5), rapid.Int64Range(-maxSpan, maxSpan), rapid.SampledFrom([]int64{-maxSpan, maxSpan}))
}

// Sums are exact if possible, and otherwise the nearest safe value: a sum above all spans implies nothing, and a sum
// below them is equivalent to the least span.
func TestBoundPlus(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := anySpan().Draw(t, "x"), anySpan().Draw(t, "y")
		sum := new(big.Int).Add(big.NewInt(x), big.NewInt(y))
		for _, strict := range [][2]bool{{false, false}, {false, true}, {true, false}, {true, true}} {
			make := func(c int64, strict bool) bound {
				if strict {
					return lessThan(c)
				}
				return atMost(c)
			}
			got := make(x, strict[0]).plus(make(y, strict[1]))
			want := unbounded
			if sum.Cmp(big.NewInt(maxSpan)) <= 0 {
				c := int64(-maxSpan)
				if sum.Cmp(big.NewInt(c)) > 0 {
					c = sum.Int64()
				}
				want = make(c, strict[0] || strict[1])
			}
			if got != want {
				t.Fatalf("%d + %d, strict %v: %d, want %d", x, y, strict, got, want)
			}
		}
		if unbounded.plus(atMost(x)) != unbounded || atMost(x).plus(unbounded) != unbounded {
			t.Fatal("a bound follows from none")
		}
	})
}

func TestSpan(t *testing.T) {
	const most, least = time.Duration(math.MaxInt64), time.Duration(math.MinInt64)
	for _, c := range []struct {
		from, to time.Duration
		want     int64
	}{
		{3, 5, 2}, {5, 3, -2}, {-4, -4, 0},
		{least, most, maxSpan}, {most, least, -maxSpan}, {least, 0, maxSpan}, {0, least, -maxSpan},
		{-1, most, maxSpan}, {most, -1, -maxSpan}, {least, least, 0}, {most, most, 0},
	} {
		if got := span(c.from, c.to); got != c.want {
			t.Errorf("span(%d, %d) = %d, want %d", c.from, c.to, got, c.want)
		}
	}
}
