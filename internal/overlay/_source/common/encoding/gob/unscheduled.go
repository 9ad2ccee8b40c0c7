// Work that is done once in a process takes no part in schedules.

package gob

func macemcUnscheduled(d int32, once uintptr)
