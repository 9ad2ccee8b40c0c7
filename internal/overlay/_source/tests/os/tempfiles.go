// Names of temporary files that no other process of a test has.

package os

func macemcTemporaryNumber(n uint32)

// macemcDraws returns the random number of the name of a temporary file.
func macemcDraws() uint64 {
	n := macemcRand()
	macemcTemporaryNumber(uint32(n))
	return n
}
