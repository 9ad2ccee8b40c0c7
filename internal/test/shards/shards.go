// Package shards explores systems with several shards in one process, as workers of a cluster do.
package shards

import (
	"errors"
	"fmt"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/shard"
	"github.com/macemc/macemc/sim"
)

// Group is a set of shards that explore a system together, a level at a time.
type Group struct {
	All   []*shard.Shard
	Owner []int // by part: index in All
	Edges int   // number of transitions found

	t   rapid.TB
	set stateset.Kind
	out [][]*shard.Pack // by sender and receiver
}

// New returns a group of so many workers, which take the parts in turn. The parts are made by a cut. It skips the test
// if the system has no tables.
func New(t rapid.TB, sys *sim.System, workers, parts int, cut []int) *Group {
	t.Helper()
	set, err := stateset.Named("128")
	if err != nil {
		t.Fatal(err)
	}
	g := &Group{t: t, set: set}
	for i := range parts {
		g.Owner = append(g.Owner, i%workers)
	}
	for w := range workers {
		s, err := shard.New(sys, options.Options{Visited: set}, parts, cut, func(part int, state []uint32, from explore.Source) {
			g.out[w][g.Owner[part]].Add(state, from)
		})
		if _, ok := errors.AsType[*options.Unsupported](err); ok {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		g.All, g.out = append(g.All, s), append(g.out, nil)
		for range workers {
			g.out[w] = append(g.out[w], s.NewPack())
		}
		for i := range parts {
			if g.Owner[i] == w {
				s.Take(i)
			}
		}
		g.start(s)
	}
	return g
}

// start adds the initial states to the parts of a shard.
func (g *Group) start(s *shard.Shard) {
	g.t.Helper()
	roots, err := s.Roots()
	if err != nil {
		g.t.Fatal(err)
	}
	words, seen := s.Words(), map[encoding.Fingerprint]bool{}
	for k := range len(roots) / words {
		state := roots[k*words:][:words]
		if seen[s.Fingerprint(state)] {
			continue
		}
		seen[s.Fingerprint(state)] = true
		if p := s.Of(state); s.Has(p) {
			if err := s.Restore(p, state, explore.Source{Number: stateset.NoPlace, EdgeIndex: uint32(k)}); err != nil {
				g.t.Fatal(err)
			}
		}
	}
}

// StateOf returns a function for a shard to get states, in its own numbers, from the shards that own them.
func (g *Group) StateOf(asks int) func(part, number uint32) ([]uint32, error) {
	return func(part, number uint32) ([]uint32, error) {
		has := g.All[g.Owner[part]]
		state, from := has.State(int(part), int(number))
		if g.Owner[part] == asks {
			return state, nil
		}
		p := has.NewPack()
		p.Add(state, from)
		states, _, err := g.All[asks].Unpack(p.Take(), g.StateOf(asks))
		return states, err
	}
}

// Level expands all states that there are, and reports whether there were any.
func (g *Group) Level() (more bool, err error) {
	until := make([]int, len(g.Owner))
	for i, w := range g.Owner {
		until[i] = g.All[w].Len(i)
		next, _ := g.All[w].Next(i)
		more = more || next < until[i]
	}
	for _, s := range g.All {
		if err := s.Expand(until, func() bool { return false }); err != nil {
			return false, err
		}
	}
	for from := range g.All {
		for to, s := range g.All {
			states, sources, err := s.Unpack(g.out[from][to].Take(), g.StateOf(to))
			if err != nil {
				return false, fmt.Errorf("from %d to %d: %w", from, to, err)
			}
			if err := s.Arrive(states, sources); err != nil {
				return false, err
			}
		}
	}
	for i, w := range g.Owner {
		_, edges := g.All[w].Next(i)
		g.Edges += edges
		g.All[w].Recount(i)
	}
	return more, nil
}

// States returns the number of states found.
func (g *Group) States() (n int) {
	for i, w := range g.Owner {
		n += g.All[w].Len(i)
	}
	return n
}
