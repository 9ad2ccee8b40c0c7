package shard

import (
	"context"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/statespace"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/sim"
)

// Shard explores some parts of the state space, and packs states for the processes that explore the others.
type Shard struct {
	*explore.Parts
	// Learned is the number of expansions made to create content of received states.
	Learned int

	g        *statespace.Graph
	contents *contents
	scratch  graph.Edges
}

// New returns a shard of a state space with so many parts by a cut, see [explore.NewParts]. It owns no part yet. Of
// opts it uses World, Visited and Weightless. The error is that of [table.Explore].
func New(sys *sim.System, opts options.Options, parts int, cut []int,
	elsewhere func(part int, state []uint32, from explore.Source)) (*Shard, error) {
	e, err := steptree.NewEngine(sys, opts.World, nil)
	if err != nil {
		return nil, err
	}
	s := &Shard{g: statespace.NewGraph(e, opts.Weightless), contents: newContents(e)}
	s.g.Named = true
	s.Parts, err = explore.NewParts(s.g, opts.Visited, parts, cut, elsewhere)
	return s, err
}

func (s *Shard) engine() *steptree.Engine { return s.g.World.Engine }

// Words returns the number of words of a state.
func (s *Shard) Words() int { return s.g.Words() }

// Roots returns the initial states, as concatenated vectors. The error is a finding about the start.
func (s *Shard) Roots() (states []uint32, err error) {
	s.scratch.Reset()
	err = s.g.Roots(&s.scratch)
	zero := make([]uint32, s.Words())
	for t := range s.scratch.Ends {
		states = s.scratch.To(t, zero, states)
	}
	return states, err
}

// Fingerprint returns the fingerprint of a state.
func (s *Shard) Fingerprint(state []uint32) encoding.Fingerprint { return s.g.Fingerprint(state) }

// Sampled returns the draws that were enumerated only by a sample, see [table.Exploration].
func (s *Shard) Sampled() choose.Samples { return s.g.Sampled() }

// Stats returns the counters of executed steps.
func (s *Shard) Stats() steptree.Stats { return s.engine().Counters }

// Rehearse makes random runs on both engines, see [table.Rehearse].
func (s *Shard) Rehearse(ctx context.Context) (choose.Path, error) {
	return table.Rehearse(ctx, s.engine())
}

// Follow returns the path along trail (edge indices as in [explore.Source]; the first selects a root), and
// the finding at its end, or nil. AtEdge means that the finding is about an edge of the last state. If trail cannot
// be followed the error is nil.
func (s *Shard) Follow(trail []uint32, atEdge bool) (path choose.Path, err error) {
	g := s.g
	if _, err := s.Roots(); err != nil {
		return g.BadPicks, err
	}
	path, state, ok := s.to(trail)
	if !ok {
		return nil, nil
	}
	if atEdge {
		s.scratch.Reset()
		if err = g.Expand(state, 0, &s.scratch); err != nil && g.BadEvent >= 0 {
			path = append(append(path, int32(g.BadEvent)), g.BadPicks...)
		}
		return path, err
	}
	_, err = g.Check(&graph.FoundState{State: state, Root: true}) // evaluates all properties
	return path, err
}

// to follows trail. It returns false if one of its edges does not exist.
func (s *Shard) to(trail []uint32) (path choose.Path, state []uint32, ok bool) {
	defer func() {
		if r := recover(); r != nil && r != statespace.ErrFewer {
			panic(r)
		}
	}()
	if len(trail) == 0 || int(trail[0]) >= len(s.g.RootPaths) {
		return nil, nil, false
	}
	path, state = s.g.Path(trail), make([]uint32, s.g.Configs.Words)
	s.g.Configs.Pack(s.g.World.Vector, state)
	return path, state, true
}

// Witness returns a hash of all steps from a state, their successors and findings. It is the same in each process
// in which the code behaves the same.
func (s *Shard) Witness(state []uint32) uint64 {
	s.scratch.Reset()
	s.scratch.Width = 1 // compute fingerprints
	defer func() { s.scratch.Width = 0 }()
	err := s.g.Expand(append([]uint32(nil), state...), -1, &s.scratch)
	hash := uint64(s.scratch.All())
	if err != nil {
		hash = ^hash
	}
	for t, lo := range s.scratch.Lo {
		hash = (hash ^ lo ^ uint64(s.scratch.EdgeIndexes[t])) * 0x9E3779B97F4A7C15
		hash ^= hash >> 32
	}
	return hash
}

// WitnessAt returns the witness of the state at the end of trail, as in [Shard.Follow], and the path there. It
// returns false if trail cannot be followed.
func (s *Shard) WitnessAt(trail []uint32) (path choose.Path, hash uint64, ok bool) {
	if _, err := s.Roots(); err != nil {
		return nil, 0, false
	}
	path, state, ok := s.to(trail)
	if !ok {
		return nil, 0, false
	}
	return path, s.Witness(state), true
}
