package stateset

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A key is added once, with or without numbers; its number is the number of keys added before.
func TestRoots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbered := rapid.Bool().Draw(t, "numbered")
		child := rapid.OneOf(rapid.Uint64Range(0, 3), rapid.Uint64Range(1<<32-5, 1<<32-2), rapid.Uint64Range(0, 1<<32-2))
		var r roots
		if !numbered {
			r.unnumbered()
		}
		known, all := map[uint64]bool{}, []uint64(nil)
		for range rapid.IntRange(1, 30).Draw(t, "batches") {
			var k Keys
			var want []uint32
			for range rapid.IntRange(1, 100).Draw(t, "keys") {
				key := child.Draw(t, "left")<<32 | child.Draw(t, "right")
				if len(all) > 0 && rapid.Bool().Draw(t, "again") {
					key = rapid.SampledFrom(all).Draw(t, "key")
				}
				name := uint32(3 * len(k.Edges))
				if !known[key] {
					known[key], all, want = true, append(all, key), append(want, name)
				}
				k.Edges, k.Lo = append(k.Edges, name), append(k.Lo, key)
			}
			if got := r.addAll(&k, []uint32{99})[1:]; !slices.Equal(got, want) {
				t.Fatalf("added %d, want %d", got, want)
			}
		}
		if !numbered {
			return
		}
		for n, key := range all {
			if got := r.find(key); got != uint32(n) || r.list.At(got) != key {
				t.Fatalf("%x has number %d, want %d", key, got, n)
			}
		}
		if r.list.N != len(all) || r.find(12345<<32|54321) != NoPlace && !known[12345<<32|54321] {
			t.Fatal("there is more than was added")
		}
	})
}

// scattered is injective, so that no two keys become one. No key becomes 0, which fingerprints represent as 1.
func TestScattered(t *testing.T) {
	inverse := uint64(1) // of the factor: each step doubles the number of correct bits
	for range 6 {
		inverse *= 2 - Hash(1)*inverse
	}
	if scattered(0) == 0 {
		t.Error("0 stays 0")
	}
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.Uint64Range(0, 1<<64-2).Draw(t, "key")
		x := scattered(key) * inverse
		x ^= x>>29 ^ x>>58
		if x-1 != key {
			t.Fatalf("%x becomes %x", key, x-1)
		}
	})
}
