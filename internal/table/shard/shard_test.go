package shard_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/shard"
	"github.com/macemc/macemc/internal/test/bundled"
	"github.com/macemc/macemc/internal/test/papers"
	"github.com/macemc/macemc/internal/test/shards"
	"github.com/macemc/macemc/sim"
)

// compare expands each state of the last levels in another shard, too, with the same result.
func compare(t *testing.T, s *shards.Group) {
	t.Helper()
	for i, w := range s.Owner {
		has, other := s.All[w], (w+1)%len(s.All)
		for n := max(has.Held(i), has.Len(i)-200); n < has.Len(i); n++ {
			state, from := has.State(i, n)
			p := has.NewPack()
			p.Add(state, from)
			there, _, err := s.All[other].Unpack(p.Take(), s.StateOf(other))
			if err != nil {
				t.Fatal(err)
			}
			if a, b := has.Witness(state), s.All[other].Witness(there); a != b {
				t.Fatalf("state %d of part %d: witness %x, and %x by another", n, i, a, b)
			}
		}
	}
}

// Several shards together find the same states and execute the same steps as one exploration.
func TestShards_AgreeWithExplore(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	set, err := stateset.Named("128")
	if err != nil {
		t.Fatal(err)
	}
	learned := 0
	for _, entry := range papers.All() {
		t.Run(entry.Name, func(t *testing.T) {
			sys := bundled.System(t, entry.Name, 0, sim.Limits{sim.Crashes: 1})
			nearly, err := table.Explore(context.Background(), sys, options.Options{Visited: set, MaxStates: 8000})
			if err != nil {
				t.Skip(err)
			}
			want, err := table.Explore(context.Background(), sys, options.Options{Visited: set, MaxDepth: max(1, nearly.Depth-1)})
			if err != nil || want.Finding != nil {
				t.Skip(err, want.Finding)
			}
			cuts := [][]int{nil, {0, sys.Nodes - 1}, shard.ChoosePartNodes(sys, options.Options{Visited: set}, 7)}
			for i, workers := range []int{1, 3, 3} {
				cut := cuts[i]
				s := shards.New(t, sys, workers, 7, cut)
				for range max(1, nearly.Depth-1) {
					if _, err := s.Level(); err != nil {
						t.Fatal(err)
					}
				}
				if s.States() != want.States || s.Edges != want.Transitions {
					t.Errorf("%d workers: %d states, %d transitions, want %d, %d", workers, s.States(), s.Edges, want.States, want.Transitions)
				}
				for _, shard := range s.All {
					learned += shard.Learned
				}
				compare(t, s)
			}
		})
	}
	if learned == 0 {
		t.Error("nothing had to be learned")
	}
}

// A pack in which a byte differs is refused, or its states are what they were: no number in it is believed.
func TestShards_DamagedPack(t *testing.T) {
	sys := bundled.System(t, "paxos", 0, sim.Limits{})
	s := shards.New(t, sys, 1, 1, nil)
	for range 4 {
		if _, err := s.Level(); err != nil {
			t.Fatal(err)
		}
	}
	shard := s.All[0]
	pack, sum, asleep := shard.NewPack(), uint64(0), uint32(0)
	for n := range shard.Len(0) {
		state, from := shard.State(0, n)
		pack.Add(state, from)
		sum, asleep = sum+shard.Fingerprint(state).Lo, asleep+from.By
	}
	whole := pack.Take()
	random, refused := rand.New(rand.NewPCG(1, 1)), 0
	for range 2_000 {
		damaged := slices.Clone(whole)
		damaged[random.IntN(len(damaged))] ^= byte(1 + random.IntN(255))
		states, from, err := shard.Unpack(damaged[:len(damaged)-random.IntN(2)], s.StateOf(0))
		if err != nil {
			refused++
			continue
		}
		got, sleeps := uint64(0), uint32(0)
		for k := range from {
			got, sleeps = got+shard.Fingerprint(states[k*shard.Words():][:shard.Words()]).Lo, sleeps+from[k].By
		}
		if len(from) != shard.Len(0) || got != sum || sleeps != asleep {
			t.Fatalf("%d states, want %d", len(from), shard.Len(0))
		}
	}
	if refused == 0 || asleep == 0 {
		t.Error("nothing was refused, or nothing sleeps")
	}
}
