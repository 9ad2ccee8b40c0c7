// Work that is done once in a process takes no part in schedules.

package gob

import _ "unsafe"

//go:linkname macemcUnscheduled runtime.macemcUnscheduled
func macemcUnscheduled(d int32, once uintptr)
