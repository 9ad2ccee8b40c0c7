// Names of temporary files, which no other process of a test has.

package os

import (
	"strconv"
	_ "unsafe"
)

//go:linkname macemcTemporary
func macemcTemporary(n uint32)

// macemcNextRandom is nextRandom.
func macemcNextRandom() string {
	n := uint32(macemcRand())
	macemcTemporary(n)
	return strconv.FormatUint(uint64(n), 10)
}
