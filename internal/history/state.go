package history

import (
	"slices"

	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/sim"
)

// State returns the fields of a node after step n with those that the step removed, and the old values, by path, of those that it changed.
func (r *Run) State(n, node int) (fields []diff.Field, old map[string]string, err error) {
	fields, err = r.Fields(n, sim.NodeID(node))
	if err != nil || n == 0 {
		return fields, nil, err
	}
	t, err := r.Trace(n)
	if err != nil {
		return nil, nil, err
	}
	old = map[string]string{}
	for _, c := range t.Changes {
		parts := func(d replay.NodeChange) bool { return d.Node == node && d.New != "" && replay.PartOf(d.Path, c.Path) }
		if c.Node != node {
			continue
		}
		old[c.Path] = c.Old
		switch {
		case c.New != "" || slices.ContainsFunc(t.Changes, parts): // exists, or its parts do
		case c.Path == "(node)":
			fields = append(fields, diff.Field{Path: c.Path, Value: "up"})
		default:
			fields = append(fields, diff.Field{Path: c.Path, Value: "gone"})
		}
	}
	return fields, old, nil
}

// SetAt returns the step at which a field of a node appeared, searching backward from the current step.
func (r *Run) SetAt(node int, path string) (int, error) {
	for n := r.At; n > 0; n-- {
		if int(r.Step(n).Ev.Node) != node {
			continue
		}
		t, err := r.Trace(n)
		if err != nil {
			return 0, err
		}
		for _, c := range t.Changes {
			if c.Node == node && c.Path == path && c.Old == "" {
				return n, nil
			}
		}
	}
	return 0, nil
}
