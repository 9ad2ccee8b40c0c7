package realnet

import (
	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/sim"
)

// instants knows when the readings were made that the node's state refers to. The state holds them by
// number, as in the checker, so that its fingerprint is the same in both.
type instants struct {
	clock *macetime.RealClock
	read  map[uint64]macetime.Time // by number
	limit int                      // forget what is not held when there are more
	yes   bool                     // the answer to the next comparison
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

// retain forgets all readings that are not held, once there are many.
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
