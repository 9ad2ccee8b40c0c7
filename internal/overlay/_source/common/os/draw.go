// Random numbers of this package come from the changed runtime.

package os

import _ "unsafe"

//go:linkname macemcRand runtime.macemcRand
func macemcRand() uint64
