package history

import (
	"slices"

	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
)

// Changed returns the old values, by path, of the fields of a node that step n changed, and the fields that it removed.
func (r *Run) Changed(n, node int) (old map[string]string, gone []diff.Field, err error) {
	if n == 0 {
		return nil, nil, nil
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
			gone = append(gone, diff.Field{Path: c.Path, Value: "up"})
		default:
			gone = append(gone, diff.Field{Path: c.Path, Value: "gone"})
		}
	}
	return old, gone, nil
}

// Monitor returns the state of a monitor after step n, with its pending obligations.
func (r *Run) Monitor(n, i int) (fields []diff.Field, err error) {
	w, err := r.World(n)
	if err != nil {
		return nil, err
	}
	fields = kernel.MonitorFields(w, i)
	defer func() {
		if recover() != nil { // Obligations may panic, and that may be the finding
			err = nil
		}
	}()
	for _, o := range kernel.Obligations(w, i) {
		field := diff.Field{Path: "(obligation)", Value: "not hot"}
		if o.Key != "" {
			field.Path = "(obligation " + o.Key + ")"
		}
		if o.Hot {
			field.Value = "hot"
		}
		fields = append(fields, field)
	}
	return fields, nil
}

// LastLive returns the last of the steps up to n after which the state is live, or -1.
func (r *Run) LastLive(n int) int {
	for ; n >= 0; n-- {
		if r.Step(n).Live {
			return n
		}
	}
	return -1
}
