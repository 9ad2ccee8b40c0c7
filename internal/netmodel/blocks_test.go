package netmodel

import (
	"slices"
	"testing"
)

// Blocks are in the order of their numbers, whatever the order in which they are replaced, and in part.
func TestBlocks_Replace(t *testing.T) {
	b := NewBlocks(2)
	events := func(slots ...int32) (list []Event) {
		for _, slot := range slots {
			list = append(list, Event{Slot: slot})
		}
		return list
	}
	for _, c := range []struct {
		block, keep int
		by, want    []int32
	}{
		{1, 0, []int32{10, 11}, []int32{10, 11}},
		{2, 0, []int32{20}, []int32{10, 11, 20}},
		{0, 0, []int32{1}, []int32{1, 10, 11, 20}},
		{1, 1, []int32{12, 13}, []int32{1, 10, 12, 13, 20}},
		{1, 0, nil, []int32{1, 20}},
		{2, 0, []int32{21}, []int32{1, 21}},
	} {
		if b.Replace(c.block, c.keep, events(c.by...)); !slices.Equal(b.Events, events(c.want...)) {
			t.Errorf("%+v: got %v", c, b.Events)
		}
	}
	if b.Clear(); len(b.Events) > 0 {
		t.Errorf("%v is left", b.Events)
	}
}

func TestBlocks_Mark(t *testing.T) {
	b := NewBlocks(2)
	for _, block := range []int{2, 0, 2} {
		b.Mark(block)
	}
	if want := []int32{2, 0}; !slices.Equal(b.Stale, want) || !b.Marked(2) || b.Marked(1) {
		t.Errorf("got %v, want %v", b.Stale, want)
	}
	if b.MarkAll(); len(b.Stale) != 3 {
		t.Errorf("got %v, want all blocks", b.Stale)
	}
	if b.Unmark(); len(b.Stale) > 0 || b.Marked(0) {
		t.Errorf("got %v, want none", b.Stale)
	}
}
