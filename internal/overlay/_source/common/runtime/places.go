// The stacks of the goroutines of a node where they act or begin to wait, for traces.

package runtime

import _ "unsafe"

// macemcPlaces holds the last stacks of a step. It must match the type places of package bubble.
type macemcPlaces struct {
	count  uint32 // number of stacks of the step
	stacks [64][32]uintptr
}

// macemcTracePlace records that the calling goroutine acts.
//
//go:linkname macemcTracePlace
func macemcTracePlace() {
	if macemcOn && macemcCur.places != nil {
		macemcPlace(getg())
	}
}

// macemcPlace records the stack of a goroutine of the program, which is the calling one or has just parked, if it has functions outside of
// the distribution.
func macemcPlace(gp *g) {
	if gp.bubble == nil || gp.macemc.id <= macemcMain || gp.macemc.unscheduled != 0 {
		return
	}
	p := macemcCur.places
	stack := &p.stacks[p.count%uint32(len(p.stacks))]
	n := 0
	if gp == getg() {
		n = callers(1, stack[:])
	} else {
		n = gcallers(gp, 0, stack[:])
	}
	clear(stack[n:])
	for _, pc := range stack[:n] {
		if pkg := macemcPackage(funcname(findfunc(pc))); pkg != "runtime" && !macemcDistribution(pkg) {
			p.count++
			return
		}
	}
}
