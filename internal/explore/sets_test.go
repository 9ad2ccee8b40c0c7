package explore

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestLineage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type origin struct{ from, turn uint32 }
		var l predecessors
		var want []origin
		from := uint32(0)
		gap := rapid.SampledFrom([]uint32{0, 0, 0, 0, 1, 1, 2, 63, 64, 65, 1000})
		turn := rapid.SampledFrom([]uint32{0, 0, 1, 2, 7, rapid.Uint32().Draw(t, "greatest turn")})
		for range rapid.IntRange(1, 500).Draw(t, "states") {
			from += gap.Draw(t, "gap")
			o := origin{from, turn.Draw(t, "turn")}
			if rapid.IntRange(0, 20).Draw(t, "earlier") == 0 {
				o.from /= 2
			}
			l.append(o.from, o.turn)
			want = append(want, o)
		}
		for n, o := range want {
			if from, turn := l.at(uint32(n)); from != o.from || turn != o.turn {
				t.Fatalf("%d is from %d by %d, want %v", n, from, turn, o)
			}
		}
	})
}

// Fingerprints that begin or end alike fill one part of the table more than others, or what is behind its end.
func TestFingerprints(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, words := range []int{1, 2} {
		p, spreading := newFingerprints(words), 0
		known := map[[2]uint64]bool{}
		var k Keys
		for i := range uint64(300_000) {
			n := i / 3 // each comes several times, some later
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
			k = Keys{Names: []uint32{7}, Lo: []uint64{lo}, Hi: []uint64{hi}}
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

// What does not fit in front of what was spread already is found behind it, and later where it belongs.
func TestFingerprintsWhileSpread(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, words := range []int{1, 2} {
		for _, most := range []float64{0, 1.01, 1.3} { // how much longer the table may be at first
			r := rand.New(rand.NewPCG(uint64(words), 1))
			p, spreading := newFingerprints(words), 0
			var all Keys
			known := map[[2]uint64]bool{}
			for len(known) < 100_000 {
				const added = 200
				p.most = uint64(float64(p.homes) * most)
				k, want := Keys{Names: make([]uint32, added), Lo: make([]uint64, added), Hi: make([]uint64, added)}, 0
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
					k.Names[i], k.Lo[i], k.Hi[i] = uint32(i), lo, hi
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
					all.Names, all.Lo, all.Hi = append(all.Names, k.Names...), append(all.Lo, k.Lo...), append(all.Hi, k.Hi...)
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
				all.Names, all.Lo, all.Hi = append(all.Names, 0), append(all.Lo, f[0]), append(all.Hi, f[1])
			}
			if got := p.AddAll(&all, nil); len(got) > 0 || spreading == 0 && most != 1.01 || p.n != len(known) {
				t.Errorf("%d words, at most %v times as long: %d added again, %d known, want %d; %d additions while the table was spread", words, most, len(got), p.n, len(known), spreading)
			}
			p.Close()
		}
	}
}

func TestQueueUsesPartsAgain(t *testing.T) {
	for _, c := range []struct{ from, name, bytes uint32 }{ // words and names of two bytes, of which some need four soon, or at once
		{0, 0, 8}, {0, 60_000, 10}, {0, 1 << 30, 10}, {60_000, 0, 14}, {60_000, 59_000, 16}, {1 << 20, 1 << 30, 16},
	} {
		q := newQueue(3).(*queue)
		next := uint32(0)
		for id := range uint32(10_000) {
			n := c.from + id
			q.push([]uint32{n, n + 1, n + 2}, c.name+id)
			for ; next < id/2; next++ {
				n := c.from + next
				if v, name := q.next(next); !slices.Equal(v, []uint32{n, n + 1, n + 2}) || name != c.name+next {
					t.Fatalf("record %d is %v, %d", next, v, name)
				}
			}
		}
		if waiting := 10_000 - next; q.most() > int(c.bytes*(waiting+2*queuePart)) {
			t.Errorf("%d bytes for %d records", q.most(), waiting)
		}
		q.Close()
	}
}

// States that are as deep as any are to be wait in no queue; how they were found is known of them all the same.
func TestFinalStatesDoNotWait(t *testing.T) {
	spill := &Spill{Dir: t.TempDir(), Bytes: 1 << 20}
	for _, f := range []Frontier{newQueue(2), newSpooled(2, spill)} {
		b := &Batch{words: 2, fresh: []uint32{0}, news: []newState{{Origin: Origin{From: 0, EdgeIndex: 5}, by: 7}}, vectors: []uint32{1, 2}}
		f.Push(b)
		var item Item
		if !f.More() || !f.Pop(&item) || !slices.Equal(item.Record, []uint32{1, 2}) || item.By != 7 {
			t.Errorf("%T: popped %+v", f, item)
		}
		b.final, b.news[0].Origin = true, Origin{From: 1, EdgeIndex: 6}
		f.Push(b)
		if f.More() || f.Pop(&item) {
			t.Errorf("%T: popped %+v", f, item)
		}
		if trail := f.Path(1); !slices.Equal(trail, []uint32{5, 6}) {
			t.Errorf("%T: trail %d", f, trail)
		}
		f.Close()
	}
}
