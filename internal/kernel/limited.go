package kernel

import (
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

// Limited returns a service of which a search cannot see all that it may do; nil means that there is none.
func Limited(sys *sim.System) simext.Limited {
	for id := range sim.NodeID(sys.Nodes) {
		s := sys.New(id)
		defer Discard(s)
		if l, ok := s.(simext.Limited); ok {
			return l
		}
	}
	return nil
}
