package kernel

import (
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

// Compare returns what a service says on how other, the same in another execution of its path, differs; see [simext.Comparer].
func Compare(s, other sim.Service) []string {
	if c, ok := s.(simext.Comparer); ok {
		return c.Compare(other)
	}
	return nil
}
