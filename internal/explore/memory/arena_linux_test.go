package memory

import (
	"testing"
	"unsafe"
)

// A region keeps its content when it grows. Once it is not on the heap, it stays in place, so that nothing is copied.
func TestRegionsGrowInPlace(t *testing.T) {
	var r Arena
	defer r.Free()
	at := (*uint64)(nil)
	for words := 100; words < 4*hugePage/8; words += words / 3 {
		before := len(r.Words)
		r.Grow(words)
		for i, word := range r.Words {
			if i < before != (word == uint64(i)+1) || i >= before && word != 0 {
				t.Fatalf("%d words: %d is at %d, there were %d", words, word, i, before)
			}
			r.Words[i] = uint64(i) + 1
		}
		switch first := unsafe.SliceData(r.Words); {
		case len(r.Words) <= onHeap:
		case r.reserved == nil:
			t.Skip("addresses are scarce")
		case at == nil:
			at = first
		case first != at:
			t.Fatalf("%d words are somewhere else", words)
		}
	}
	if at == nil || 8*len(r.Words)%hugePage != 0 {
		t.Errorf("%d words", len(r.Words))
	}
	var small Arena
	defer small.Free()
	if small.Grow(2 * onHeap); 8*len(small.Words) > smallPages {
		t.Errorf("%d words were asked for, and %d are there", 2*onHeap, len(small.Words))
	}
}
