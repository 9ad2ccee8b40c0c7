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

// words hold values that look like pointers to unallocated memory.
var words struct {
	_  *int // makes the collector scan the words
	at [10_000]uintptr
}

var last *[100]*int

// unused is the address of an object that is unreachable when the next one is allocated.
func unused() uintptr {
	last = new([100]*int)
	return uintptr(unsafe.Pointer(last))
}

// garbage is set in the environment of a process that executes its first step while garbage exists.
const garbage = "MACEMC_TEST_GARBAGE"

// Garbage that a collection has found before the first step is free although not yet swept. Recording package variables must not retain it:
// the collector aborts a process that references a free object.
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
	for now.NumGC <= before.NumGC { // the collector then sweeps in increments
		runtime.Gosched()
		debug.ReadGCStats(&now)
	}
	stepping.Lock()
	defer stepping.Unlock()
	n := start(boot{nodes: 1})
	n.perform(&input{kind: bootInput, boot: new(boot)}, func(context.Context, *Host) error { return nil })
	n.discard()
	runtime.GC()
	runtime.GC()
}
