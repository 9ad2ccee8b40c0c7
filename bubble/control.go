//lint:file-ignore U1000 the runtime reads and writes what is not used here

package bubble

import (
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/sim"
)

// control is what the scheduler keeps of a node: macemcStep of the overlay, field by field.
type control struct {
	seed     uint64
	sched    uint64
	mode     uint32
	every    uint32
	changes  uint32
	resigns  uint32
	stays    uint32
	number   uint32
	ids      uint64
	timers   uint32
	outside  uint32
	waiter   uint64
	why      uint8
	lost     bool
	looked   bool
	nholds   int32
	holds    [64]hold
	spinning uintptr
	held     uint32
	yields   uint64
}

// hold says that a goroutine waits for a lock or has it.
type hold struct {
	lock  uintptr
	gid   uint64
	since uint64
	state uint32
}

const (
	modeFIFO = iota
	modeRandom
	modePCT
)

// everyPlace is how many places where a goroutine may yield there are to one where it does.
const everyPlace = 3

// arrange sets the schedule of the next step. Pick 0 is first come, first served.
func (c *control) arrange(how sim.Interleave, pick int) {
	c.mode, c.every, c.changes, c.resigns, c.stays, c.sched = modeFIFO, 0, 0, 0, 0, 0
	if pick == 0 {
		return
	}
	c.sched, c.stays = mix(uint64(pick)), uint32(pick%2)
	switch {
	case how == sim.Random:
		c.mode, c.every = modeRandom, everyPlace
	case how > 0:
		c.mode, c.changes = modePCT, uint32(how)
	}
}

func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// deadlock returns goroutines of which each waits for a lock that the next one has, and the last one for one of the
// first; "" when there are none. A goroutine that one of them has started since it has the lock may be there to give that back:
// started reports whether one goes on.
func (c *control) deadlock(started func(by, since uint64) bool) string {
	holds := c.holds[:c.nholds]
	waiting := false
	for _, h := range holds {
		waiting = waiting || h.state&1 == 0
	}
	if !waiting || c.lost {
		return ""
	}
	var chain []hold // what the goroutines have that others wait for
	var visit func(h hold) bool
	visit = func(h hold) bool {
		if i := slices.IndexFunc(chain, func(o hold) bool { return o.gid == h.gid }); i >= 0 {
			chain = chain[i:]
			chain[0] = h
			return true
		}
		chain = append(chain, h)
		for _, w := range holds {
			if w.gid != h.gid || w.state&1 != 0 {
				continue
			}
			for _, h := range holds {
				if h.lock == w.lock && h.state&1 != 0 && visit(h) {
					return true
				}
			}
		}
		chain = chain[:len(chain)-1]
		return false
	}
	for _, h := range holds {
		if h.state&1 != 0 || !visit(h) {
			continue
		}
		var names []string
		for _, h := range chain {
			if started(h.gid, h.since) {
				return ""
			}
			names = append(names, fmt.Sprintf("goroutine %d", h.gid))
		}
		if len(names) == 1 {
			return names[0] + " waits for a lock that it has itself"
		}
		return strings.Join(names, " waits for a lock of ") + " waits for a lock of " + names[0]
	}
	return ""
}
