package realnet

import (
	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/sim"
)

// instants maps the clock readings in the node's state to real times. The state holds readings by number, as in the
// checker, so both compute the same fingerprint.
type instants struct {
	clock *macetime.RealClock
	read  map[uint64]macetime.Time // by number
	limit int                      // maximum size before unused readings are dropped
	yes   bool                     // answer to the next comparison
}

func newInstants(clock *macetime.RealClock) instants {
	return instants{clock: clock, read: map[uint64]macetime.Time{}, limit: 1024}
}

// Read implements [kernel.Times].
func (i *instants) Read(_ sim.NodeID, t macetime.Time) {
	number, _, _ := t.Raw()
	i.read[number] = i.clock.Now()
}

// Compare implements [kernel.Times].
func (i *instants) Compare(_ sim.NodeID, a, b macetime.Time) {
	i.yes = i.clock.Before(i.real(a), i.real(b))
}

func (i *instants) real(t macetime.Time) macetime.Time {
	number, offset, _ := t.Raw()
	return i.read[number].Add(offset)
}

// retain drops all readings that are not in held, once there are many.
func (i *instants) retain(held func() []macetime.Time) {
	if len(i.read) <= i.limit {
		return
	}
	kept := map[uint64]macetime.Time{}
	for _, t := range held() {
		if number, _, _ := t.Raw(); number != 0 {
			kept[number] = i.read[number]
		}
	}
	i.read, i.limit = kept, max(1024, 2*len(kept))
}
