//go:build race

// Calls that are reported to the race detector.

package sync

import _ "unsafe"

const macemcRaced = true

//go:linkname macemcLockCalled runtime.macemcLockCalled
func macemcLockCalled(caller uintptr)

//go:linkname macemcCallBegin runtime.macemcCallBegin
func macemcCallBegin(caller uintptr)

//go:linkname macemcCallEnd runtime.macemcCallEnd
func macemcCallEnd()
