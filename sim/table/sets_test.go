package table

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/sim"
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
		known := map[sim.Fingerprint]bool{}
		for i := range uint64(300_000) {
			k := i / 3 // each comes several times, some later
			if i%3 == 2 {
				k = i / 5
			}
			f := sim.Fingerprint{Lo: k * 0x9E3779B97F4A7C15}
			switch {
			case k%3 == 0:
				f.Lo >>= 2
			case k%50 == 0:
				f.Lo = -k
			}
			if words == 2 {
				f.Hi = k % 2
			}
			kept := sim.Fingerprint{Lo: max(1, f.Lo), Hi: f.Hi}
			want := !known[kept]
			known[kept] = true
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
