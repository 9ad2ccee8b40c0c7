//lint:file-ignore U1000 the runtime reads and writes the fields that are unused here

package bubble

import (
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/sim"
)

// control is the scheduler's state of a node. Its fields must match macemcStep of the overlay.
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
	ahead    int64
	main     uintptr
}

// hold records that a goroutine holds a lock or waits for one.
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

// everyPlace is the inverse probability that a goroutine yields where it may.
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

// deadlock describes a cycle of goroutines in which each waits for a lock that the next one holds. It returns "" if there is none. A
// goroutine that a member of the cycle has started while it held the lock may be going to release it. started reports whether such a
// goroutine exists.
func (c *control) deadlock(started func(by, since uint64) bool) string {
	holds := c.holds[:c.nholds]
	waiting := false
	for _, h := range holds {
		waiting = waiting || h.state&1 == 0
	}
	if !waiting || c.lost {
		return ""
	}
	var chain []hold // locks that are held while other goroutines wait for them
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
