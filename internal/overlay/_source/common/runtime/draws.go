// Random numbers of goroutines: of math/rand and similar packages, maps, hashes and select.

package runtime

import (
	testrun "internal/runtime"
	_ "unsafe"
)

func macemcSeed() {
	for i := range globalRand.seed {
		globalRand.seed[i] = byte(i*7 + 1)
	}
}

//go:nosplit
func macemcMix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// macemcDraw returns the next random number of a goroutine. It depends only on the number of draws of that goroutine.
//
//go:nosplit
func macemcDraw(gp *g) uint64 {
	macemcSampling(testrun.SampledNumbers)
	switch {
	case gp.macemc.unscheduled == 0:
	case gp.macemc.oncePerProcess:
		gp.macemc.perProcessDraws++
		return macemcMix(gp.macemc.perProcessDraws)
	default:
		gp.macemc.onceDraws++
		return macemcMix(macemcSeedOf(gp) ^ macemcMix(^(gp.macemc.id<<32 ^ gp.macemc.onceDraws)))
	}
	gp.macemc.draws++
	return macemcMix(macemcSeedOf(gp) ^ macemcMix(gp.macemc.id<<32^gp.macemc.draws))
}

// macemcRand is the random source of math/rand and similar packages.
func macemcRand() uint64 {
	if x, ok := macemcDrawn(); ok {
		return x
	}
	return rand()
}

// The functions below replace those of the runtime for libraries outside the distribution that draw from it by these names.

//go:linkname macemcLinkedCheaprand runtime.cheaprand
func macemcLinkedCheaprand() uint32 { return uint32(macemcRand()) }

//go:linkname macemcLinkedCheaprand64 runtime.cheaprand64
func macemcLinkedCheaprand64() int64 { return int64(macemcRand() >> 1) }

//go:linkname macemcLinkedCheaprandn runtime.cheaprandn
func macemcLinkedCheaprandn(n uint32) uint32 { return uint32(macemcRand() >> 32 * uint64(n) >> 32) }

// macemcDrawn is macemcRand for other packages. ok is false outside of steps, package initialization, and goroutines with a seed.
func macemcDrawn() (x uint64, ok bool) {
	gp := getg()
	if macemcOn && gp.bubble != nil {
		return macemcDraw(gp), true
	}
	if macemcInits() {
		return macemcInitDraw(), true
	}
	if gp.macemc.seed != 0 && gp.bubble == nil {
		gp.macemc.draws++
		return macemcMix(gp.macemc.seed ^ macemcMix(gp.macemc.draws)), true
	}
	return 0, false
}

// macemcMaps is the random source of maps and hashes. Within a step it depends at most on the number of iterations over maps in tests,
// because the number of other draws is higher in the first run of a process, for once-per-process initialization.
//
//go:nosplit
func macemcMaps() uint64 {
	gp := getg()
	x := macemcSeedOf(gp) ^ uint64(macemcCur.number)
	if n := gp.macemc.test.ranges; n != 0 {
		x ^= macemcMix(gp.macemc.id<<32 ^ n)
	}
	return macemcMix(x)
}

//go:nosplit
func macemcRandn(n uint32) uint32 {
	if gp := getg(); macemcOn && gp.bubble != nil {
		if pick := gp.macemc.test.pick; pick != 0 { // the picked case is the first one, and the others keep their order
			if pick == n {
				return 0
			}
			return n - 1
		}
		gp.macemc.cases++
		x := macemcMix(^macemcSeedOf(gp) ^ macemcCur.sched ^ macemcMix(gp.macemc.id<<32^gp.macemc.cases))
		return uint32((x >> 32) * uint64(n) >> 32)
	} else if gp.macemc.seed != 0 && gp.bubble == nil {
		x, _ := macemcDrawn()
		return uint32((x >> 32) * uint64(n) >> 32)
	}
	return cheaprandn(n)
}
