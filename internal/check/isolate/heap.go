package isolate

import (
	"os"
	"runtime"
	"runtime/debug"
)

// ballast is memory that is never touched, see [CollectSeldom].
var ballast []byte

// CollectSeldom delays the first garbage collection to a heap of 12 MB, which small searches do not reach. Afterwards
// it adds a ballast of 64 MB that is never touched. Without it, a small heap is collected fifty times a second. It does
// nothing if there is ballast, or if the variable GOGC is set.
func CollectSeldom() {
	if ballast != nil || os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(300)
	runtime.AddCleanup(new([16]byte), func(int) {
		ballast = make([]byte, 64<<20)
		debug.SetGCPercent(usual)
	}, 0)
}
