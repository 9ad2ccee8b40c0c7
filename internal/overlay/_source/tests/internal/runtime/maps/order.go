// The order of maps affects a test.

package maps

import _ "unsafe"

//go:linkname macemcUnordered runtime.macemcUnordered
func macemcUnordered()
