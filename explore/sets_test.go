package explore

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestLineage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type origin struct{ from, turn uint32 }
		var l lineage
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
	for _, words := range []int{1, 2} {
		p := newFingerprints(words)
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
		}
		if p.n != len(known) {
			t.Errorf("%d fingerprints, want %d", p.n, len(known))
		}
		places := map[uint32]bool{}
		for f := range known {
			k.Lo[0], k.Hi[0] = f[0], f[1]
			place := p.FindAll(&k, nil)[0]
			if places[place] || int(place) >= p.Places() {
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

func TestQueueUsesPartsAgain(t *testing.T) {
	for _, c := range []struct{ from, bytes uint32 }{{0, 10}, {60_000, 16}, {1 << 20, 16}} { // words of two bytes, of which some need four soon, or at once
		q := newQueue(3).(*queue)
		next := uint32(0)
		for id := range uint32(10_000) {
			n := c.from + id
			q.push([]uint32{n, n + 1, n + 2}, n+1<<30)
			for ; next < id/2; next++ {
				n := c.from + next
				if v, asleep := q.next(next); !slices.Equal(v, []uint32{n, n + 1, n + 2}) || asleep != n+1<<30 {
					t.Fatalf("record %d is %v, %d", next, v, asleep)
				}
			}
		}
		if waiting := 10_000 - next; q.most() > int(c.bytes*(waiting+2*queuePart)) {
			t.Errorf("%d bytes for %d records", q.most(), waiting)
		}
		q.Close()
	}
}
