// Options of the runtime that a test can change, and may not restore.

package runtime

import _ "unsafe"

// macemc_testOptions returns the options of the runtime.
//
//go:linkname macemc_testOptions testing.macemcOptionsNow
func macemc_testOptions() macemcOptions {
	return macemcOptions{percent: gcController.gcPercent.Load(), limit: gcController.memoryLimit.Load()}
}

// macemc_testSetOptions sets the options of the runtime that differ.
//
//go:linkname macemc_testSetOptions testing.macemcSetOptions
func macemc_testSetOptions(o macemcOptions) {
	now := macemc_testOptions()
	if now.percent != o.percent {
		setGCPercent(o.percent)
	}
	if now.limit != o.limit {
		setMemoryLimit(o.limit)
	}
}
