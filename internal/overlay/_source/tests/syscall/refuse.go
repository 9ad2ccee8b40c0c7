// System calls that are not explored.

package syscall

import _ "unsafe"

//go:linkname macemcTested runtime.macemcTested
func macemcTested() bool

//go:linkname macemcRefuse runtime.macemcRefuse
func macemcRefuse(reason string)
