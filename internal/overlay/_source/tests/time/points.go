// Clock reads, and scheduling points of timers.

package time

import _ "unsafe"

//go:linkname macemcReadClock runtime.macemcReadClock
func macemcReadClock(pc uintptr)

//go:linkname macemcTimerPoint runtime.macemcTimerPoint
func macemcTimerPoint(obj, pc uintptr)
