package shard

import (
	"slices"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/sim"
)

const (
	cutSample  = 30_000 // number of states in the sample
	cutNodes   = 10     // up to so many nodes all subsets are tried
	cutBalance = 1.3    // maximum ratio of the largest part to the mean
)

// ChoosePartNodes chooses the nodes that select the part by their states, see [explore.NewParts]. In a sample of the first states few
// steps lead to another part, and no part is much larger than others. The result is deterministic. Nil means to
// partition by the whole state.
func ChoosePartNodes(sys *sim.System, opts options.Options, parts int) (cut []int) {
	s, err := New(sys, opts, 1, nil, nil)
	if err != nil || s.start() != nil {
		return nil // the exploration reports the error
	}
	for s.Len(0) < cutSample {
		until := s.Len(0)
		if next, _ := s.Next(0); next == until {
			break
		}
		if s.Expand([]int{until}, func() bool { return s.Len(0) >= cutSample }) != nil {
			break
		}
	}
	nodes := len(s.g.Configs.Tables)
	best := s.leaving(nil, parts)
	for _, set := range cutsOf(nodes) {
		try := make([]int, 0, nodes)
		for n := range nodes {
			if set>>n&1 == 1 {
				try = append(try, n)
			}
		}
		if n := s.leaving(try, parts); n < best {
			cut, best = try, n
		}
	}
	return cut
}

// start adds the initial states to the only part.
func (s *Shard) start() error {
	roots, err := s.Roots()
	if err != nil {
		return err
	}
	s.Take(0)
	for k := range len(roots) / s.Words() {
		// It may already be there
		_ = s.Restore(0, roots[k*s.Words():][:s.Words()], explore.Source{Number: stateset.NoPlace, EdgeIndex: uint32(k)})
	}
	return nil
}

// cutsOf returns the sets of nodes to try: all, or if there are many nodes, small sets and their complements.
func cutsOf(nodes int) (sets []uint64) {
	if nodes > 64 {
		return nil
	}
	all := uint64(1)<<nodes - 1
	if nodes <= cutNodes {
		for set := uint64(1); set <= all; set++ {
			sets = append(sets, set)
		}
		return sets
	}
	for a := range nodes {
		for b := range a + 1 {
			set := uint64(1)<<a | uint64(1)<<b
			sets = append(sets, set, all&^set)
		}
	}
	return append(sets, all)
}

// leaving returns the number of states found from one of another part, or more than there are states if a part is
// too large.
func (s *Shard) leaving(cut []int, parts int) (n int) {
	of := make([]int, s.Len(0))
	count := make([]int, parts)
	for k := range of {
		state, from := s.State(0, k)
		sum := uint64(0)
		if cut == nil {
			sum = s.Fingerprint(state).Lo
		}
		for _, w := range cut {
			sum += s.g.Share(w, state[w])
		}
		part := explore.PartBy(sum, parts)
		of[k] = part
		count[part]++
		if from.Number != stateset.NoPlace && of[from.Number] != part {
			n++
		}
	}
	if largest := slices.Max(count); float64(largest*parts) > cutBalance*float64(len(of)) && cut != nil {
		return len(of) + 1
	}
	return n
}
