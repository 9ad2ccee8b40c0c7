package explore

import (
	"math/rand/v2"
	"os"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/internal/explore/spill"
)

// However few states are in memory, what is found is the same, in the same order.
func TestSpilledRandomGraphs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		s := &Spill{Dir: os.TempDir(), young: rapid.SampledFrom([]int{1, 3, 10, 50}).Draw(t, "in memory"), Bytes: rapid.SampledFrom([]int{0, 1 << 14}).Draw(t, "bytes")}
		most := rapid.SampledFrom([]int{0, 0, 0, 1, 2, 5, 10}).Draw(t, "depth")
		if rapid.Bool().Draw(t, "sleep sets") {
			g.sleep(most, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "asleep"), 1)))
		}
		if err := g.compareSpilled(most, VisitedSets[1:], Frontiers[:1], s); err != nil {
			t.Fatal(err)
		}
	})
}

// A set that mistakes what it looks up on disk is noticed.
func TestSpilledDefectsAreNoticed(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	broken := func(change func(*spilled) Visited) []VisitedSet {
		return []VisitedSet{{Name: "broken", New: VisitedSets[1].New, Spilled: func(_ Graph, s *Spill) Visited { return change(newSpilled(1, s)) }}}
	}
	for name, set := range map[string][]VisitedSet{
		"what is old is taken for new":   broken(func(s *spilled) Visited { return credulous{s} }),
		"what is new is taken for old":   broken(func(s *spilled) Visited { return suspicious{s} }),
		"another state is taken for old": broken(func(s *spilled) Visited { return shifted{s} }),
		"the filter says no":             broken(func(s *spilled) Visited { s.filter = newBloom(64); return deaf{s} }),
	} {
		noticed := 0
		for seed := range 200 {
			g := rapid.Custom(drawGraph).Example(seed)
			if g.compareSpilled(0, set, Frontiers[:1], &Spill{Dir: os.TempDir(), young: 10}) != nil {
				noticed++
			}
		}
		if t.Logf("%s: noticed on %d of 200 graphs", name, noticed); noticed == 0 {
			t.Errorf("nobody notices that %s", name)
		}
	}
}

type credulous struct{ *spilled }

func (s credulous) Flush(old func(uint32)) error {
	n := 0
	return s.spilled.Flush(func(number uint32) {
		if n++; n > 1 {
			old(number)
		}
	})
}

type suspicious struct{ *spilled }

func (s suspicious) Flush(old func(uint32)) error {
	if s.number > 1 {
		old(s.number - 1)
	}
	return s.spilled.Flush(old)
}

type shifted struct{ *spilled }

func (s shifted) Flush(old func(uint32)) error {
	return s.spilled.Flush(func(number uint32) { old(number ^ 1) })
}

type deaf struct{ *spilled }

func (s deaf) AddAll(k *Keys, fresh []uint32) []uint32 {
	fresh = s.spilled.AddAll(k, fresh)
	s.suspects = s.suspects[:len(s.suspects)/2]
	return fresh
}

// What a table yields in order is what was added.
func TestFingerprintsInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.IntRange(1, 2).Draw(t, "words")
		p := newFingerprints(words)
		defer p.Close()
		known := map[spill.Key]bool{}
		some := rapid.OneOf(rapid.Uint64(), rapid.Uint64Range(0, 300), rapid.Uint64Range(^uint64(0)-300, ^uint64(0)))
		for range rapid.IntRange(0, 2000).Draw(t, "fingerprints") {
			k := Keys{Names: []uint32{0}, Lo: []uint64{some.Draw(t, "lo")}, Hi: []uint64{0}}
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

func TestBloom(t *testing.T) {
	f := newBloom(1 << 14)
	defer f.memory.free()
	n := uint64(1 << 14) // eight bits for each
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

// What is on disk of where states were found is read back, and what cannot be is no other state unnoticed.
func TestLineageOnDisk(t *testing.T) {
	var inMemory, onDisk predecessors
	store := spill.NewStore(t.TempDir())
	defer store.Close()
	onDisk.spillTo(store)
	rnd := rand.New(rand.NewPCG(1, 1))
	from := uint32(0)
	const n = 600_000
	for i := range uint32(n) {
		if rnd.IntN(3) == 0 {
			from = min(i, from+uint32(rnd.IntN(5)))
		}
		turn := uint32(rnd.IntN(40))
		inMemory.append(from, turn)
		onDisk.append(from, turn)
	}
	for range 20_000 {
		i := uint32(rnd.IntN(n))
		from, turn := inMemory.at(i)
		if f, u := onDisk.at(i); f != from || u != turn || store.Err() != nil {
			t.Fatalf("%d is from %d by %d, want %d by %d: %v", i, f, u, from, turn, store.Err())
		}
	}
	if onDisk.bytes() > inMemory.bytes()/2 {
		t.Errorf("%d bytes in memory, all take %d", onDisk.bytes(), inMemory.bytes())
	}
	store.Close()
	onDisk.at(7)
	if onDisk.at(n / 2); store.Err() == nil {
		t.Error("a file that cannot be read is not noticed")
	}
}
