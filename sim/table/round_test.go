package table

import (
	"slices"
	"testing"
)

// A round of trimming keeps where states lead until there is no room, and then nothing, but counts on.
func TestRoundKeepsWithinRoom(t *testing.T) {
	r := round{room: 9}
	r.keep(7, []uint32{1, 2, 3})
	r.keep(5, []uint32{4})
	if !slices.Equal(r.to, []uint32{1, 2, 3, 4}) || !slices.Equal(r.ends, []met{{7, 3}, {5, 4}}) || r.room != 9 {
		t.Errorf("%+v", r)
	}
	for range 2 {
		r.keep(3, []uint32{1, 2})
	}
	if r.to != nil || r.ends != nil || r.room >= 0 || r.edges != 8 {
		t.Errorf("%+v", r)
	}
}
