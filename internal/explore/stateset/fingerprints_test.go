package stateset

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/internal/explore/spill"
)

// Fingerprints with equal high or low bits fill one part of the table more than others, or the lines after its end.
func TestFingerprints(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, words := range []int{1, 2} {
		p, spreading := NewFingerprints(words), 0
		known := map[[2]uint64]bool{}
		var k Keys
		for i := range uint64(300_000) {
			n := i / 3 // each comes several times, some of them later
			if i%3 == 2 {
				n = i / 5
			}
			lo, hi := n*0x9E3779B97F4A7C15, uint64(0)
			switch {
			case n%3 == 0:
				lo >>= 2
			case n%50 == 0:
				lo = -n
			}
			if words == 2 {
				hi = n % 2
			}
			k = Keys{Edges: []uint32{7}, Lo: []uint64{lo}, Hi: []uint64{hi}}
			kept := [2]uint64{max(1, lo), hi}
			if got := len(p.AddAll(&k, nil)) == 1; got == known[kept] {
				t.Fatalf("%d words, %x: added: %v", words, kept, got)
			}
			known[kept] = true
			if p.end > 0 {
				spreading++
			}
		}
		if spreading == 0 {
			t.Error("nothing was added while the table was spread")
		}
		if p.n != len(known) {
			t.Errorf("%d fingerprints, want %d", p.n, len(known))
		}
		all, places := p.Places(), map[uint32]bool{}
		for f := range known {
			k.Lo[0], k.Hi[0] = f[0], f[1]
			place := p.FindAll(&k, nil)[0]
			if places[place] || int(place) >= all {
				t.Fatalf("%x is at place %d, as another one, or one that there is not", f, place)
			}
			places[place] = true
		}
		if k.Lo[0] = 12345; p.FindAll(&k, nil)[0] != NoPlace {
			t.Error("what was not added has a place")
		}
		if now, _ := p.Bytes(); 20*words*p.n < now/8*5 {
			t.Errorf("%d words: %d bytes for %d fingerprints", words, now, p.n)
		}
		p.Close()
	}
}

// A fingerprint that does not fit before the spread part is found after it, and later in its own line.
func TestFingerprintsWhileSpread(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, words := range []int{1, 2} {
		for _, most := range []float64{0, 1.01, 1.3} { // factor by which the table may be longer at first
			r := rand.New(rand.NewPCG(uint64(words), 1))
			p, spreading := NewFingerprints(words), 0
			var all Keys
			known := map[[2]uint64]bool{}
			for len(known) < 100_000 {
				const added = 200
				p.most = uint64(float64(p.homes) * most)
				k, want := Keys{Edges: make([]uint32, added), Lo: make([]uint64, added), Hi: make([]uint64, added)}, 0
				for i := range added {
					lo, hi := r.Uint64(), r.Uint64()
					if next := p.end/lineWords - uint64(4*p.words*added+minLines); i > added/2 && p.end > 0 && next < p.before {
						line := next - min(next, uint64(r.IntN(12)))
						lo, _ = bits.Div64(line+1, 0, p.before)
						lo -= r.Uint64N(math.MaxUint64 / p.before)
					}
					if !known[[2]uint64{lo, hi}] {
						want++
					}
					k.Edges[i], k.Lo[i], k.Hi[i] = uint32(i), lo, hi
					if words == 1 {
						hi = 0
					}
					known[[2]uint64{lo, hi}] = true
				}
				if p.end > 0 {
					spreading++
				}
				if got := len(p.AddAll(&k, nil)); got != want {
					t.Fatalf("%d words, at most %v times as long: %d added, %d are new", words, most, got, want)
				}
				if len(all.Lo) < 10_000 {
					all.Edges, all.Lo, all.Hi = append(all.Edges, k.Edges...), append(all.Lo, k.Lo...), append(all.Hi, k.Hi...)
				} else {
					all = k
				}
				for i, f := range all.Lo {
					if p.place(f, all.Hi[i]*uint64(words-1)) == NoPlace {
						t.Fatalf("%d words, at most %v times as long: %x is not found", words, most, f)
					}
				}
			}
			all = Keys{}
			for f := range known {
				all.Edges, all.Lo, all.Hi = append(all.Edges, 0), append(all.Lo, f[0]), append(all.Hi, f[1])
			}
			if got := p.AddAll(&all, nil); len(got) > 0 || spreading == 0 && most != 1.01 || p.n != len(known) {
				t.Errorf("%d words, at most %v times as long: %d added again, %d known, want %d; %d additions while the table was spread",
					words, most, len(got), p.n, len(known), spreading)
			}
			p.Close()
		}
	}
}

// A table yields the added fingerprints in order.
func TestFingerprintsInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.IntRange(1, 2).Draw(t, "words")
		p := NewFingerprints(words)
		defer p.Close()
		known := map[spill.Key]bool{}
		some := rapid.OneOf(rapid.Uint64(), rapid.Uint64Range(0, 300), rapid.Uint64Range(^uint64(0)-300, ^uint64(0)))
		for range rapid.IntRange(0, 2000).Draw(t, "fingerprints") {
			k := Keys{Edges: []uint32{0}, Lo: []uint64{some.Draw(t, "lo")}, Hi: []uint64{0}}
			if words == 2 {
				k.Hi[0] = some.Draw(t, "hi")
			}
			p.AddAll(&k, nil)
			known[spill.Key{Lo: max(1, k.Lo[0]), Hi: k.Hi[0]}] = true
		}
		last := spill.Key{}
		for k := range p.each {
			if !known[k] || last.Compare(k) >= 0 {
				t.Fatalf("%x behind %x", k, last)
			}
			delete(known, k)
			last = k
		}
		if len(known) > 0 {
			t.Fatalf("%d are missing", len(known))
		}
	})
}

func TestSpillFilter(t *testing.T) {
	f := NewSpillFilter(1 << 14)
	defer f.memory.Free()
	n := uint64(1 << 14) // eight bits of the filter for each
	for i := range n {
		f.add(i * 0x9E3779B97F4A7C15)
	}
	wrong := 0
	for i := range n {
		if !f.has(i * 0x9E3779B97F4A7C15) {
			t.Fatalf("%d was added", i)
		}
		if f.has((i + n) * 0x9E3779B97F4A7C15) {
			wrong++
		}
	}
	if wrong > int(n)/16 {
		t.Errorf("%d of %d that were not added", wrong, n)
	}
}

// BenchmarkAddAll fills a table up to many times the size of the caches.
func BenchmarkAddAll(b *testing.B) {
	const batch, all = 4096, 20_000_000
	k := Keys{Edges: make([]uint32, batch), Lo: make([]uint64, batch), Hi: make([]uint64, batch)}
	var fresh []uint32
	for _, words := range []int{1, 2} {
		b.Run(fmt.Sprintf("words=%d", words), func(b *testing.B) {
			for b.Loop() {
				p, r := NewFingerprints(words), rand.New(rand.NewPCG(uint64(words), 1))
				for p.n < all {
					for i := range batch {
						k.Lo[i], k.Hi[i] = r.Uint64(), r.Uint64()
					}
					fresh = p.AddAll(&k, fresh[:0])
				}
				p.Close()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*all), "ns/key")
		})
	}
}
