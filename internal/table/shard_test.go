package table_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/shard"
	"github.com/macemc/macemc/internal/test/bundled"
	"github.com/macemc/macemc/internal/test/papers"
	"github.com/macemc/macemc/sim"
)

// shards explore a system together, a level at a time.
type shards struct {
	t     tester
	all   []*shard.Shard
	owner []int
	out   [][]*shard.Pack // by sender and receiver
	edges int
}

func newShards(t tester, sys *sim.System, workers, parts int, cut []int) *shards {
	t.Helper()
	set, err := stateset.Named("128")
	if err != nil {
		t.Fatal(err)
	}
	s := &shards{t: t}
	for i := range parts {
		s.owner = append(s.owner, i%workers)
	}
	for w := range workers {
		shard, err := shard.New(sys, options.Options{Visited: set}, parts, cut, func(part int, state []uint32, from explore.Source) {
			s.out[w][s.owner[part]].Add(state, from)
		})
		if _, ok := errors.AsType[*options.Unsupported](err); ok {
			t.(*testing.T).Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		roots, err := shard.Roots()
		if err != nil {
			t.Fatal(err)
		}
		s.all, s.out = append(s.all, shard), append(s.out, nil)
		for range workers {
			s.out[w] = append(s.out[w], shard.NewPack())
		}
		for i := range parts {
			if s.owner[i] == w {
				shard.Take(i)
			}
		}
		words, seen := shard.Words(), map[encoding.Fingerprint]bool{}
		for k := range len(roots) / words {
			state := roots[k*words:][:words]
			if seen[shard.Fingerprint(state)] {
				continue
			}
			seen[shard.Fingerprint(state)] = true
			if p := shard.Of(state); shard.Has(p) {
				if err := shard.Restore(p, state, explore.Source{Number: stateset.NoPlace, EdgeIndex: uint32(k)}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return s
}

// stateOf asks the worker that owns a part for a state, and converts its numbers.
func (s *shards) stateOf(asks int) func(part, number uint32) ([]uint32, error) {
	return func(part, number uint32) ([]uint32, error) {
		has := s.all[s.owner[part]]
		state, from := has.State(int(part), int(number))
		if s.owner[part] == asks {
			return state, nil
		}
		p := has.NewPack()
		p.Add(state, from)
		states, _, err := s.all[asks].Unpack(p.Take(), s.stateOf(asks))
		return states, err
	}
}

// level expands all states that there are, and reports whether there were any.
func (s *shards) level() (more bool, err error) {
	until := make([]int, len(s.owner))
	for i, w := range s.owner {
		until[i] = s.all[w].Len(i)
		next, _ := s.all[w].Next(i)
		more = more || next < until[i]
	}
	for _, shard := range s.all {
		if err := shard.Expand(until, func() bool { return false }); err != nil {
			return false, err
		}
	}
	for from := range s.all {
		for to, shard := range s.all {
			states, sources, err := shard.Unpack(s.out[from][to].Take(), s.stateOf(to))
			if err != nil {
				return false, fmt.Errorf("from %d to %d: %w", from, to, err)
			}
			if err := shard.Arrive(states, sources); err != nil {
				return false, err
			}
		}
	}
	for i, w := range s.owner {
		_, edges := s.all[w].Next(i)
		s.edges += edges
		s.all[w].Recount(i)
	}
	return more, nil
}

// compare expands each state of the last levels in another shard, too, with the same result.
func (s *shards) compare() {
	for i, w := range s.owner {
		has, other := s.all[w], (w+1)%len(s.all)
		for n := max(has.Held(i), has.Len(i)-200); n < has.Len(i); n++ {
			state, from := has.State(i, n)
			p := has.NewPack()
			p.Add(state, from)
			there, _, err := s.all[other].Unpack(p.Take(), s.stateOf(other))
			if err != nil {
				s.t.Fatal(err)
			}
			if a, b := has.Witness(state), s.all[other].Witness(there); a != b {
				s.t.Fatalf("state %d of part %d: witness %x, and %x by another", n, i, a, b)
			}
		}
	}
}

func (s *shards) states() (n int) {
	for i, w := range s.owner {
		n += s.all[w].Len(i)
	}
	return n
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
				s := newShards(t, sys, workers, 7, cut)
				for range max(1, nearly.Depth-1) {
					if _, err := s.level(); err != nil {
						t.Fatal(err)
					}
				}
				if s.states() != want.States || s.edges != want.Transitions {
					t.Errorf("%d workers: %d states, %d transitions, want %d, %d", workers, s.states(), s.edges, want.States, want.Transitions)
				}
				for _, shard := range s.all {
					learned += shard.Learned
				}
				s.compare()
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
	s := newShards(t, sys, 1, 1, nil)
	for range 4 {
		if _, err := s.level(); err != nil {
			t.Fatal(err)
		}
	}
	shard := s.all[0]
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
		states, from, err := shard.Unpack(damaged[:len(damaged)-random.IntN(2)], s.stateOf(0))
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
