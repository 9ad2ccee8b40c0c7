package explore

import (
	"context"

	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/explore/memory"
	"github.com/macemc/macemc/internal/explore/stateset"
)

// DeadStates is an analysis that finds the states from which no live state can be reached by edges of the recovery
// relation. Analyze sets the results, and sets Checked if it runs to completion.
type DeadStates struct {
	Checked bool
	Dead    int
	Nearest uint32   // a dead state nearest to the start; 0 if none is dead
	Path    []uint32 // the path to that state, see [Frontier]; nil if none is dead

	// recovers: a live state is known to be reachable; ordinary: the state was found by an edge of the recovery
	// relation.
	recovers, ordinary memory.Bitset
}

// Visit implements [Analysis].
func (d *DeadStates) Visit(id uint32, live bool, note uint8) error {
	d.recovers.Append(int(id), live)
	d.ordinary.Append(int(id), note&graph.Recovery != 0)
	return nil
}

// NeedsEdges implements [Analysis].
func (d *DeadStates) NeedsEdges(id uint32) bool { return !d.recovers.Has(id) }

// Bytes implements [Analysis].
func (d *DeadStates) Bytes() int { return d.recovers.Bytes() + d.ordinary.Bytes() }

// Analyze implements [Analysis]. The predecessor by which each state was found decides most states. The others are
// decided by their edges, first by the kept ones, then by all, in alternating directions, until a round decides no
// more. Each round may decide one more step of a way to a live state that leads against the direction of the round.
func (d *DeadStates) Analyze(ctx context.Context, s *Space) error {
	for id := s.Len(); id > 0; id-- {
		if d.recovers.Has(id - 1) {
			d.markOrigins(s, id-1)
		}
	}
	if err := d.rounds(ctx, s.PassKept, s); err != nil {
		return err
	}
	if err := d.rounds(ctx, s.Pass, s); err != nil {
		return err
	}
	d.Checked = true
	for id := range s.Len() {
		if !d.NeedsEdges(id) {
			continue
		}
		if d.Dead++; d.Dead == 1 {
			d.Nearest, d.Path = id, s.Path(id) // states are numbered by distance
		}
	}
	return nil
}

// rounds passes over the edges of states that are undecided.
func (d *DeadStates) rounds(ctx context.Context, pass func(context.Context, bool, func(uint32) bool,
	func(uint32, StateEdges, []uint32)) error, s *Space) error {
	for again, down := true, true; again; down = !down {
		again = false
		err := pass(ctx, down, d.NeedsEdges, func(id uint32, row StateEdges, to []uint32) {
			if d.NeedsEdges(id) && d.leadsOn(row, to) {
				again = true
				d.recovers.Add(id)
				d.markOrigins(s, id)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// markOrigins marks the chain of states by which a recovering state was found, as recovering.
func (d *DeadStates) markOrigins(s *Space, id uint32) {
	for d.ordinary.Has(id) {
		id = s.Origin(id) - 1
		if d.recovers.Has(id) {
			return
		}
		d.recovers.Add(id)
	}
}

// leadsOn reports whether some edge of the recovery relation leads to a state that recovers.
func (d *DeadStates) leadsOn(row StateEdges, to []uint32) bool {
	for k, id := range to {
		if row.Recovers(k) && id != stateset.NoPlace && d.recovers.Has(id) {
			return true
		}
	}
	return false
}
