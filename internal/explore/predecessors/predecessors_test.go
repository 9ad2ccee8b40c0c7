package predecessors

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/internal/explore/spill"
)

func TestLineage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type origin struct{ from, edge uint32 }
		var l List
		var want []origin
		from := uint32(0)
		gap := rapid.SampledFrom([]uint32{0, 0, 0, 0, 1, 1, 2, 63, 64, 65, 1000})
		edge := rapid.SampledFrom([]uint32{0, 0, 1, 2, 7, rapid.Uint32().Draw(t, "greatest edge")})
		for range rapid.IntRange(1, 500).Draw(t, "states") {
			from += gap.Draw(t, "gap")
			o := origin{from, edge.Draw(t, "edge")}
			if rapid.IntRange(0, 20).Draw(t, "earlier") == 0 {
				o.from /= 2
			}
			l.Append(o.from, o.edge)
			want = append(want, o)
		}
		for n, o := range want {
			if from, edge := l.Origin(uint32(n)); from != o.from || edge != o.edge {
				t.Fatalf("%d is from %d by %d, want %v", n, from, edge, o)
			}
		}
	})
}

// Predecessors on disk are read back correctly, and read errors are not taken for other states.
func TestLineageOnDisk(t *testing.T) {
	var inMemory, onDisk List
	store := spill.NewStore(t.TempDir())
	defer store.Close()
	onDisk.SpillTo(store)
	rnd := rand.New(rand.NewPCG(1, 1))
	from := uint32(0)
	const n = 600_000
	for i := range uint32(n) {
		if rnd.IntN(3) == 0 {
			from = min(i, from+uint32(rnd.IntN(5)))
		}
		edge := uint32(rnd.IntN(40))
		inMemory.Append(from, edge)
		onDisk.Append(from, edge)
	}
	for range 20_000 {
		i := uint32(rnd.IntN(n))
		from, edge := inMemory.Origin(i)
		if f, u := onDisk.Origin(i); f != from || u != edge || store.Err() != nil {
			t.Fatalf("%d is from %d by %d, want %d by %d: %v", i, f, u, from, edge, store.Err())
		}
	}
	if onDisk.Bytes() > inMemory.Bytes()/2 {
		t.Errorf("%d bytes in memory, all take %d", onDisk.Bytes(), inMemory.Bytes())
	}
	store.Close()
	onDisk.Origin(7)
	if onDisk.Origin(n / 2); store.Err() == nil {
		t.Error("a file that cannot be read is not noticed")
	}
}
