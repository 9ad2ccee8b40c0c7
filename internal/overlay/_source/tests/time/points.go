// Clock reads, and scheduling points of timers with their results.

package time

import _ "unsafe"

//go:linkname macemcReadClock runtime.macemcReadClock
func macemcReadClock(pc uintptr)

//go:linkname macemcTimerPoint runtime.macemcTimerPoint
func macemcTimerPoint(obj, pc uintptr)

//go:linkname macemcTimerStopped runtime.macemcTimerStopped
func macemcTimerStopped(ok bool) bool
