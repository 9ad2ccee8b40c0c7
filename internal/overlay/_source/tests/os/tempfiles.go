// Temporary files: names that no other process of a test has, and the end of those that a run leaves.

package os

import (
	"internal/filepathlite"
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

// macemcTemporaries are what the current run has created directly in the folder for temporary files. They would be in the way of other
// tests and runs, which may draw the same numbers for names.
var macemcTemporaries = struct {
	folder string // of the process, whatever a run sets
	names  []string
}{folder: filepathlite.Clean(TempDir())}

// macemcRemoveTemporaries removes what a run has left there. It is called behind the run.
//
//go:linkname macemcRemoveTemporaries
//go:norace
func macemcRemoveTemporaries() {
	for _, name := range macemcTemporaries.names {
		RemoveAll(name)
	}
	macemcTemporaries.names = nil
}
