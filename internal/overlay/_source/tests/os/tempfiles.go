// Names of temporary files that no other process of a test has.

package os

import (
	"strconv"
	_ "unsafe"
)

//go:linkname macemcTemporaryNumber
func macemcTemporaryNumber(n uint32)

// macemcNextRandom is nextRandom.
func macemcNextRandom() string {
	n := uint32(macemcRand())
	macemcTemporaryNumber(n)
	return strconv.FormatUint(uint64(n), 10)
}
