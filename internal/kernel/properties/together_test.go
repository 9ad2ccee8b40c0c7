package properties_test

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/kernel/properties"
	"github.com/macemc/macemc/sim"
)

// The result of Together depends on what the properties do, not on which of them was the last to fail. A property that
// does not return is called once, and then found.
func TestTogether(t *testing.T) {
	const holds, fails, panics, hangs = 0, 1, 2, 3
	for _, c := range []struct {
		does []int
		live bool
		want any // panic value: a place, or the finding that it does not return; nil if there is none
	}{
		{[]int{holds, holds}, true, nil},
		{[]int{holds, fails, panics}, false, nil},
		{[]int{panics, fails, panics}, false, nil},
		{[]int{holds, panics, panics}, false, 1},
		{[]int{panics, holds, panics}, false, 0},
		{nil, true, nil},
		{[]int{panics, hangs, holds}, false, contain.GivenUp().Message},
	} {
		for last := range max(1, len(c.does)) {
			lastFailed, hung := last, 0
			live, at, panicked := properties.Together(len(c.does), &lastFailed, func(i int) bool {
				switch c.does[i] {
				case panics:
					panic(i)
				case hangs:
					hung++
					panic(contain.GivenUp())
				}
				return c.does[i] == holds
			})
			if f, ok := panicked.(*sim.Finding); ok {
				panicked = f.Message
			}
			if place, ok := panicked.(int); ok && at != place || panicked == contain.GivenUp().Message && c.does[at] != hangs {
				t.Errorf("%v, %d first: panic value %v comes from property %d", c.does, last, panicked, at)
			}
			if live != c.live || panicked != c.want || hung > 1 {
				t.Errorf("%v, %d first: live %v, panicked %v, asked %d times what hangs", c.does, last, live, panicked, hung)
			}
			if k := slices.Index(c.does, fails); k >= 0 && lastFailed != k {
				t.Errorf("%v, %d first: %d is noted as the one that failed", c.does, last, lastFailed)
			}
		}
	}
}
