// Calls that are reported to the race detector.

package sync

import "internal/race"

const macemcRaced = race.Enabled

// The runtime has these only in a build with the race detector.
func macemcLockCalled(caller uintptr)
func macemcCallBegin(caller uintptr)
func macemcCallEnd()
