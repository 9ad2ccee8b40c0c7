//lint:file-ignore U1000 the runtime reads and writes the fields that are unused here

package bubble

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/macemc/macemc/sim"
)

// control is the scheduler's state of a node. Its fields must match macemcStep of the overlay.
type control struct {
	seed      uint64 // of select and of random numbers
	sched     uint64 // seed of the schedule of the step
	mode      uint32 // modeFIFO, modeRandom or modePCT
	every     uint32 // random: one in every places yields; 0 means none
	changes   uint32 // PCT: priority changes left
	resigns   uint32 // PCT: priorities lowered by runtime.Gosched or for fairness
	holdBacks uint32 // goroutines that may still be held back until the next step
	number    uint32 // of the step
	ids       uint64 // goroutines that the node has had
	timers    uint32 // timers that it has armed
	outside   struct {
		count uint32 // times that a goroutine waited for something outside the bubble
		last  uint64 // last goroutine that did
		why   uint8  // reason for its wait
	}
	locksOverflowed bool  // locks had no room, so deadlocks may be missed
	readClock       bool  // the program has read the clock in this step
	nlocks          int32 // used elements of locks
	locks           [64]lockUse
	stopped         uintptr                       // goroutines that wait for the next step; 0 means none
	heldBack        uint32                        // goroutines that are held back until the next step
	yields          uint64                        // times that the schedule made a goroutine yield
	wall            struct{ ahead, offset int64 } // see macemcStep
	main            uintptr                       // main goroutine of the bubble
	places          *places                       // nil means that the step is not traced
}

// reading returns the clock of the node, which executes a step.
func (c *control) reading() int64 { return time.Now().UnixNano() - c.wall.ahead - c.wall.offset }

// lockUse records that a goroutine holds a lock or waits for one.
type lockUse struct {
	lock  uintptr // its address, or the inode of the file
	gid   uint64  // the goroutine
	since uint64  // number of goroutines that the node had had when it acquired the lock
	state uint32  // bit 0: it holds the lock, otherwise it waits; bit 1: as a reader
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
	c.mode, c.every, c.changes, c.resigns, c.holdBacks, c.sched = modeFIFO, 0, 0, 0, 0, 0
	if pick == 0 {
		return
	}
	c.sched, c.holdBacks = mix(uint64(pick)), uint32(pick%2)
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

// deadlock describes a cycle of goroutines in which each waits for a lock that the next one holds. It returns "" if there is none. flocks
// are locks of files. A goroutine that a member of the cycle has started while it held the lock may be going to release it. started reports
// whether such a goroutine exists, other than those that are waiting for locks.
func (c *control) deadlock(flocks []lockUse, started func(by, since uint64, waiting []uint64) bool) string {
	uses := append(c.locks[:c.nlocks:c.nlocks], flocks...)
	var waiting []uint64
	for _, h := range uses {
		if h.state&1 == 0 {
			waiting = append(waiting, h.gid)
		}
	}
	if len(waiting) == 0 || c.locksOverflowed {
		return ""
	}
	var chain []lockUse // locks that are held while other goroutines wait for them
	var visit func(h lockUse) bool
	visit = func(h lockUse) bool {
		if i := slices.IndexFunc(chain, func(o lockUse) bool { return o.gid == h.gid }); i >= 0 {
			chain = chain[i:]
			chain[0] = h
			return true
		}
		chain = append(chain, h)
		for _, w := range uses {
			if w.gid != h.gid || w.state&1 != 0 {
				continue
			}
			for _, h := range uses {
				if h.lock == w.lock && h.state&1 != 0 && visit(h) {
					return true
				}
			}
		}
		chain = chain[:len(chain)-1]
		return false
	}
	for _, h := range uses {
		if h.state&1 != 0 || !visit(h) {
			continue
		}
		var names []string
		for _, h := range chain {
			if started(h.gid, h.since, waiting) {
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
