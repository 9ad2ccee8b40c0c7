package table

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestAncestry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a ancestry
		var want []uint32
		parent := uint32(0)
		gap := rapid.SampledFrom([]uint32{0, 0, 0, 0, 1, 1, 2, 63, 64, 65, 1000})
		for range rapid.IntRange(1, 500).Draw(t, "states") {
			parent += gap.Draw(t, "gap")
			a.append(parent)
			want = append(want, parent)
		}
		for n, parent := range want {
			if got := a.at(uint32(n)); got != parent {
				t.Fatalf("the parent of %d is %d, want %d", n, got, parent)
			}
		}
	})
}

// Fingerprints that begin or end alike fill one part of the table more than others, or what is behind its end.
func TestPrints(t *testing.T) {
	for _, words := range []int{1, 2} {
		p := newPrints(words)
		known := map[print]bool{}
		for i := range uint64(300_000) {
			k := i / 3 // each comes several times, some later
			if i%3 == 2 {
				k = i / 5
			}
			f := print{k * 0x9E3779B97F4A7C15}
			switch {
			case k%3 == 0:
				f[0] >>= 2
			case k%50 == 0:
				f[0] = -k
			}
			if words == 2 {
				f[1] = k % 2
			}
			want := !known[print{max(1, f[0]), f[1]}]
			known[print{max(1, f[0]), f[1]}] = true
			if got := p.insert(f); got != want {
				t.Fatalf("%d words, %x: added: %v", words, f, got)
			}
		}
		if p.n != len(known) {
			t.Errorf("%d fingerprints, want %d", p.n, len(known))
		}
		if 20*words*p.n < p.bytes()/8*5 {
			t.Errorf("%d words: %d bytes for %d fingerprints", words, p.bytes(), p.n)
		}
		p.memory.free()
	}
}

func TestFrontier(t *testing.T) {
	f := frontier{words: 3}
	next := uint32(0)
	for id := range uint32(10_000) {
		f.append([]uint32{id, id + 1, id + 2})
		for ; next < id/2; next++ {
			if v := f.next(next); !slices.Equal(v, []uint32{next, next + 1, next + 2}) {
				t.Fatalf("vector %d is %v", next, v)
			}
		}
	}
	if waiting := 10_000 - next; f.most() > 12*(int(waiting)+2*frontierPart) {
		t.Errorf("%d bytes for %d vectors", f.most(), waiting)
	}
}
