// The log of files and variables that a test reads takes no part in schedules.

package testdeps

import _ "unsafe"

//go:linkname macemcUnscheduled runtime.macemcUnscheduled
func macemcUnscheduled(d int32, once uintptr)
