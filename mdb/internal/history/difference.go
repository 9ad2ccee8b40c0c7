package history

import (
	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/sim"
)

// Match returns the step of b that corresponds to step n of a, see [replay.Align], and whether both have the same event.
func Match(a, b *Run, n int) (int, bool) {
	c := replay.Align(occurrences(a, n), occurrences(b, b.Len()), Common(a, b))[n]
	return c.Step, c.Same
}

// Counterparts returns the step of b that corresponds to each step of a, see [replay.Align].
func Counterparts(a, b *Run) []replay.Counterpart {
	return replay.Align(occurrences(a, a.Len()), occurrences(b, b.Len()), Common(a, b))
}

// occurrences returns the occurrences of the first n steps.
func occurrences(r *Run, n int) []replay.Occurrence {
	all := make([]replay.Occurrence, n)
	for i := range all {
		s := r.Step(i + 1)
		all[i] = replay.Occurrence{Key: s.Key, Kind: s.Ev.Kind}
	}
	return all
}

// Difference is a difference between two states.
type Difference struct {
	Node     int // -1 means the network
	Path     string
	Old, New string
}

// Differences compares two states: first the nodes, then the network.
func Differences(a *Run, n int, b *Run, m int) ([]Difference, error) {
	var all []Difference
	before, err := allFields(a, n)
	if err != nil {
		return nil, err
	}
	after, err := allFields(b, m)
	if err != nil {
		return nil, err
	}
	for i := range before {
		node := i
		if i == a.Nodes {
			node = -1
		}
		for _, c := range diff.Between(before[i], after[i]) {
			all = append(all, Difference{node, c.Path, c.Old, c.New})
		}
	}
	return all, nil
}

// allFields returns the fields of each node after step n, and last those of the network.
func allFields(r *Run, n int) (all [][]sim.Field, err error) {
	for id := range r.Nodes {
		fields, err := r.Fields(n, sim.NodeID(id))
		if err != nil {
			return nil, err
		}
		all = append(all, fields)
	}
	if r.Whole != nil {
		return append(all, nil), nil
	}
	w, err := r.World(n)
	if err != nil {
		return nil, err
	}
	return append(all, w.NetFields()), nil
}
