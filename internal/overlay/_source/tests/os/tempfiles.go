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

// macemcTemporaryFolder is the folder for temporary files of the process, whatever a run sets.
var macemcTemporaryFolder = filepathlite.Clean(TempDir())

// macemcTemporaries lists what the current run has created directly in that folder. It would be in the way of other tests and runs, which
// may draw the same numbers for names.
var macemcTemporaries *macemcTemporaryFile

type macemcTemporaryFile struct {
	name []byte // a copy, as the goroutine that made the name is not synchronized with the end of the run
	next *macemcTemporaryFile
}

// macemcMakesTemporary is called when a run has created a file or folder in macemcTemporaryFolder.
//
//go:norace
func macemcMakesTemporary(name string) {
	f := &macemcTemporaryFile{make([]byte, len(name)), macemcTemporaries}
	for i := range f.name {
		f.name[i] = name[i]
	}
	macemcTemporaries = f
}

// macemcRemoveTemporaries removes what a run has left there. It is called behind the run.
//
//go:linkname macemcRemoveTemporaries
//go:norace
func macemcRemoveTemporaries() {
	for f := macemcTemporaries; f != nil; f = f.next {
		RemoveAll(string(f.name))
	}
	macemcTemporaries = nil
}
