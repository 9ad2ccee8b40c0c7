//go:build macemc_overlay

package bubble

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/macemc/macemc/sim"
)

// loops is set in the environment of a process with a step that does not terminate.
const loops = "MACEMC_TEST_LOOPS"

// A step that does not terminate, and whose goroutines keep switching, does not starve the rest of the process, which enforces limits.
func TestStep_EndlessSwitchesLetOthersRun(t *testing.T) {
	if os.Getenv(loops) == "" {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestStep_EndlessSwitchesLetOthersRun$")
		cmd.Env = append(os.Environ(), loops+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v, want a process that ends after its sleep:\n%.2000s", err, out)
		}
		return
	}
	runtime.GOMAXPROCS(1)
	go func() {
		stepping.Lock()
		n := start(boot{nodes: 1})
		n.perform(&input{kind: bootInput, boot: new(boot), how: sim.Random, pick: 2}, func(context.Context, *Host) error {
			var mu sync.Mutex
			for {
				mu.Lock()
				mu.Unlock() //lint:ignore SA2001 a place to switch
				time.Sleep(0)
			}
		})
	}()
	for range 100 { // this goroutine runs only by preemption
		time.Sleep(10 * time.Millisecond)
	}
	os.Exit(0)
}
