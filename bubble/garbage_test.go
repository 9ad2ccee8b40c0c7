//go:build macemc_overlay

package bubble

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"testing"
	"unsafe"
)

// words look like pointers to what nothing points to.
var words struct {
	_  *int // so that it is where pointers are looked for
	at [10_000]uintptr
}

var last *[100]*int

// unused is where something is that nothing points to when the next one is made.
func unused() uintptr {
	last = new([100]*int)
	return uintptr(unsafe.Pointer(last))
}

// garbage is set in the environment of a process that makes its first step while there is some.
const garbage = "MACEMC_TEST_GARBAGE"

// What a collection has found unused when the first step begins is free, though nothing has swept it yet: what package variables led to
// is kept, and the collector ends a process that keeps what is free.
func TestGarbage(t *testing.T) {
	if os.Getenv(garbage) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestGarbage$")
		cmd.Env = append(os.Environ(), garbage+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v:\n%.2000s", err, out)
		}
		return
	}
	runtime.GOMAXPROCS(1)
	runtime.GC()
	debug.SetGCPercent(-1)
	for i := range words.at {
		words.at[i] = unused()
	}
	var before, now debug.GCStats
	debug.ReadGCStats(&before)
	go runtime.GC()
	for now.NumGC <= before.NumGC { // and then it sweeps, a bit at each turn
		runtime.Gosched()
		debug.ReadGCStats(&now)
	}
	stepping.Lock()
	defer stepping.Unlock()
	n := start(boot{nodes: 1})
	n.perform(&input{kind: bootInput}, func(context.Context, *Host) error { return nil })
	n.discard()
	runtime.GC()
	runtime.GC()
}
