package kernel

import (
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

// Snapshot is a copy of a node's state, for comparison by [NodeChanges].
type Snapshot struct {
	service sim.Service  // a copy; nil means that Fields holds everything
	Fields  []diff.Field // the fields other than the service's
}

// TakeSnapshot copies the part of a node that [World.NodeFields] describes.
func TakeSnapshot(in World, id sim.NodeID) Snapshot {
	if w, ok := in.(*Machine); ok {
		if n := &w.Members[id]; n.Up && !n.halted && !declared.Carries(n.Service) {
			if p := w.PlanOf(n.Service); p.Copyable() {
				return Snapshot{p.Copy(n.Service).(sim.Service), w.besides(n, nil)}
			}
		}
	}
	return Snapshot{Fields: slices.Clone(in.NodeFields(id))}
}

// OutlineNode sets whether the service of a node is outlined or described in full, see [simext.Outliner].
func OutlineNode(in World, id sim.NodeID, on bool) {
	if w, ok := in.(*Machine); ok {
		if o, ok := w.Members[id].Service.(simext.Outliner); ok {
			o.Outline(on)
		}
	}
}

// NodeChanges returns the differences between a node's fields and a snapshot taken in the same world, without
// describing all fields again.
func NodeChanges(in World, id sim.NodeID, was Snapshot) []diff.Change {
	if was.service == nil {
		return diff.Between(was.Fields, in.NodeFields(id))
	}
	w := in.(*Machine)
	n := &w.Members[id]
	p, prefix := w.PlanOf(was.service), declared.HostedPrefix(was.service)
	if !n.Up || n.halted || w.PlanOf(n.Service) != p || declared.HostedPrefix(n.Service) != prefix {
		return diff.Between(append(declared.OfHosted(was.service, p.Fields("", was.service, nil)), was.Fields...), w.NodeFields(id))
	}
	changes := p.Changes("", was.service, n.Service)
	for i := range changes {
		changes[i].Path = strings.TrimPrefix(changes[i].Path, prefix)
	}
	return append(changes, diff.Between(was.Fields, w.besides(n, nil))...)
}
