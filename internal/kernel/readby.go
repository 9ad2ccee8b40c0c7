package kernel

import (
	"slices"

	"github.com/macemc/macemc/internal/kernel/properties"
	"github.com/macemc/macemc/internal/simhook"
	"github.com/macemc/macemc/sim"
)

// ReadBy returns the nodes that the named property reads in the current state, ascending. For a predicate lifted to all
// nodes, it returns the first node where the predicate does not hold. Nil means that the property does not exist, or
// that its reads are unknown.
func ReadBy(in World, name string) (nodes []int) {
	w, ok := in.(*Machine)
	if !ok {
		return nil
	}
	at := slices.IndexFunc(w.Sys.Properties, func(p sim.Property) bool { return p.Name == name })
	if at < 0 {
		return nil
	}
	shown := w.Properties.Shown
	kept := shown.Reads
	shown.World, shown.Reads = blaming{w}, simhook.Reads{}
	defer func() {
		_ = recover() // the reads before a panic count, too
		all := shown.Reads.All()
		shown.World, shown.Reads = w, kept
		for id := range min(len(w.Members), 64) {
			if all>>id&1 != 0 {
				nodes = append(nodes, id)
			}
		}
	}()
	w.Properties.Holds(&w.Sys.Properties[at])
	return nil
}

// blaming is a world that records the nodes where predicates do not hold.
type blaming struct{ *Machine }

func (b blaming) Each(v *properties.View, p *properties.Predicate) bool {
	for id := range sim.NodeID(len(b.Members)) {
		if !p.HoldsAt(v, id) {
			v.Reads.Read(int(id))
			return false
		}
	}
	for id := range b.Members {
		v.Reads.Read(id)
	}
	return true
}
