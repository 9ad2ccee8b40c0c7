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

// macemcPooling is called before a value is put into a pool or taken from it. It returns a number of the run and its
// collections, or 0 if the pool keeps no values: outside explored tests, and for the distribution.
func macemcPooling(pool unsafe.Pointer, pc uintptr) uint64 {
	if !macemcTested() || getg().macemc.unscheduled >= macemcLogging || macemcCallerAt(macemcBeyondWrappers(macemcCallerAt(pc))).standard {
		return 0
	}
	macemcPointed(testrun.Pool, uintptr(pool))
	return macemcRuns + macemcEndings.collections<<40
}

// macemcPooledMax is the number of values of a pool up to which an exhaustive exploration enumerates which one it returns.
const macemcPooledMax = 8

// macemcPooled chooses which of n values a pool returns: an index, or n for a new value. In the default order it is the usual one, and
// other choices are recorded. Without garbage collection no value gets lost.
func macemcPooled(n, usual int) int {
	gp, t := getg(), macemcT
	options := n + 1
	if gcController.gcPercent.Load() < 0 {
		options = n
	}
	if gp.macemc.id <= macemcMain || t.over || t.cut || options == 1 {
		return usual
	}
	place, taken := gp.macemc.test.places|testrun.CaseBit, usual
	switch policy := macemcPolicy(); {
	case policy == testrun.Systematic && n > macemcPooledMax:
		macemcSampling(testrun.SampledPools)
	case policy == testrun.Systematic:
		taken = macemcPlanValue(options, usual)
	case policy != testrun.Default && t.executed != t.until:
		if x := macemcMix(t.seed ^ macemcMix(gp.macemc.id^place<<24)); x&1 == 0 {
			taken = int((x >> 32) * uint64(options) >> 32)
		}
	case len(t.replayed) != 0:
		who := macemcFollow(gp.macemc.id, place)
		if who < testrun.NewValue || who > testrun.NewValue+uint64(n) {
			return usual
		}
		t.followed++
		if taken = int(who-testrun.NewValue) - 1; taken < 0 {
			taken = n
		}
		return taken
	}
	if taken != usual {
		macemcRecord(gp.macemc.id, place, testrun.NewValue+uint64(taken+1)%uint64(n+1))
	}
	return taken
}

// macemcPlanValue is macemcPooled for a systematic run.
func macemcPlanValue(options, usual int) int {
	first := macemcT.noptions
	macemcOffer(uint64(usual), 0)
	for i := range options {
		if i != usual {
			macemcOffer(uint64(i), 0)
		}
	}
	if macemcT.cut {
		macemcHalt()
	}
	k := macemcTake(testrun.AtPool, first)
	if macemcT.cut {
		macemcHalt()
	}
	return int(macemcT.options[first+uint32(k)].Who)
}
