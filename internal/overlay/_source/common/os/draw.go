// Random names of temporary files come from the changed runtime.

package os

import _ "unsafe"

//go:linkname macemcRand runtime.macemcRand
func macemcRand() uint64
