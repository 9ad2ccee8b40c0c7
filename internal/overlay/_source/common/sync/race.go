// Calls that are reported to the race detector.

package sync

import (
	"internal/race"
	_ "unsafe"
)

const macemcRaced = race.Enabled

// The runtime has these only in a build with the race detector.

//go:linkname macemcLockCalled runtime.macemcLockCalled
func macemcLockCalled(caller uintptr)

//go:linkname macemcCallBegin runtime.macemcCallBegin
func macemcCallBegin(caller uintptr)

//go:linkname macemcCallEnd runtime.macemcCallEnd
func macemcCallEnd()
