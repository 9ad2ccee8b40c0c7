package choose

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// Derive returns the stream number for work that starts at path under seed. It is a pure function of its arguments, so
// that results do not depend on the order of work or on who executes it. It takes time linear in the path and does not
// allocate.
func Derive(seed uint64, path Path) uint64 {
	var (
		hash  xxhash.Digest
		block [256]byte
	)
	hash.ResetWithSeed(seed)
	for len(path) > 0 {
		n := min(len(path), len(block)/4)
		for i, pick := range path[:n] {
			binary.LittleEndian.PutUint32(block[4*i:], uint32(pick))
		}
		hash.Write(block[:4*n])
		path = path[n:]
	}
	return hash.Sum64()
}
