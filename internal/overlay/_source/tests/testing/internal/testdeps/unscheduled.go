// The log of files and variables that a test reads takes no part in schedules.

package testdeps

func macemcUnscheduled(d int32, once uintptr)
