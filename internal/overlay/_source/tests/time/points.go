// Clock reads, and scheduling points of timers with their results.

package time

func macemcReadClock(pc uintptr)
func macemcTimerPoint(obj, pc uintptr)
func macemcTimerStopped(ok bool) bool
