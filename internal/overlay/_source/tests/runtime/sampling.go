// Random numbers outside the decisions of a run: the order of maps, values of pools, and their seeds.

package runtime

import (
	testrun "internal/runtime"
	"unsafe"
)

// macemcSeedOf returns the seed of the select cases and random numbers that a goroutine draws. It is another one after the last operation
// that follows recorded switches and what its goroutine draws before its next operation.
//
//go:nosplit
func macemcSeedOf(gp *g) uint64 {
	if t := macemcT; t != nil && t.until != 0 && (t.executed > t.until || t.executed == t.until && gp.macemc.id != macemcUntilWho) {
		return macemcMix(macemcCur.seed ^ t.seed)
	}
	return macemcCur.seed
}

// macemcUnordered is called where the order of a map affects a test.
//
//go:linkname macemcUnordered
func macemcUnordered() {
	macemcSampling(testrun.SampledMaps)
	if gp := getg(); macemcT != nil && gp.bubble != nil && gp.macemc.unscheduled == 0 {
		gp.macemc.test.ranges++
	}
}

//go:nosplit
func macemcSampling(what testrun.Sampled) {
	if gp := getg(); macemcT != nil && gp.bubble != nil && gp == gp.m.curg && gp.macemc.id > macemcMain {
		macemcT.sampled |= what
	}
}

// macemcPooling is called before a value is put into a pool or taken from it. It returns the number of the run, or 0 if the pool keeps no
// values: outside explored tests, and for the distribution.
//
//go:linkname macemcPooling
func macemcPooling(pool unsafe.Pointer, pc uintptr) uint64 {
	if !macemcTested() || getg().macemc.unscheduled >= macemcLogging || macemcCallerAt(macemcBeyondWrappers(pc)).standard {
		return 0
	}
	macemcPointed(macemcOpPool, uintptr(pool))
	return macemcRuns
}

// macemcPooled draws which of n values a pool returns: an index, or n for a new value.
//
//go:linkname macemcPooled
func macemcPooled(n int) int {
	macemcSampling(testrun.SampledPools)
	gp := getg()
	x := macemcMix(macemcSeedOf(gp) ^ macemcMix(gp.macemc.id^gp.macemc.test.places<<24))
	return int((x >> 32) * uint64(n+1) >> 32)
}
