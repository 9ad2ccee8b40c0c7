package kernel

import "github.com/macemc/macemc/sim"

// ParseEventKind is the inverse of [sim.EventKind.String].
func ParseEventKind(s string) (sim.EventKind, bool) {
	for k := sim.Boot; k <= sim.Partition; k++ {
		if k.String() == s {
			return k, true
		}
	}
	return 0, false
}
