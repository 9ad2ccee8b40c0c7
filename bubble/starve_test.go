//go:build macemc_overlay

package bubble

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
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
		n.perform(&input{kind: bootInput, boot: new(boot), seeds: seeds{how: sim.Random, pick: 2}}, func(context.Context, *Host) error {
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

var cleared []byte

// A goroutine that the wall clock preempts while it clears a large object continues before others of its node.
func TestStep_ClearingDoesNotSwitch(t *testing.T) {
	const size = 256 << 20 // takes longer than the 10 ms after which the runtime preempts
	for range 2 {
		cleared = bytes.Repeat([]byte{1}, size) // memory that is used again must be cleared
	}
	cleared = nil
	runtime.GC()
	runtime.GOMAXPROCS(1)
	stepping.Lock()
	defer stepping.Unlock()
	n := start(boot{nodes: 1})
	var order []string
	n.perform(&input{kind: bootInput, boot: new(boot)}, func(context.Context, *Host) error {
		go func() { order = append(order, "other") }()
		cleared = make([]byte, size)
		order = append(order, "clearing")
		return nil
	})
	n.discard()
	cleared = nil
	if len(order) == 0 || order[0] != "clearing" {
		t.Errorf("order %v, want clearing first", order)
	}
}

// A step that does not terminate is aborted when another goroutine has waited long for the lock. The handler gets a finding, whether it
// waits for the program or for a time, and stays locked to its thread. Other nodes run afterwards.
func TestTurn_LockAbortsEndlessStep(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for seconds")
	}
	endless := func(_ context.Context, h *Host) error {
		time.Sleep(time.Second)
		for h.self == 0 {
		}
		return nil
	}
	for _, delay := range []int64{0, int64(time.Minute)} { // with a delay, the step sleeps longer than the program
		stepping.Lock()
		runtime.GOMAXPROCS(1)
		n := start(boot{nodes: 1})
		n.perform(&input{kind: bootInput, boot: new(boot)}, endless)
		found, began := make(chan any), make(chan bool)
		go func() {
			runtime.LockOSThread()
			defer func() {
				stepping.Unlock()
				if !locked() {
					t.Errorf("delay %d: the handler is not locked to its thread after the step", delay)
				}
				found <- recover()
			}()
			close(began)
			if delay == 0 {
				n.perform(&input{kind: wakeInput}, nil)
			}
			n.step(func() { advance(n.now + delay) })
		}()
		<-began
		stepping.Lock()
		if f, ok := (<-found).(*sim.Finding); !ok || f.Kind != sim.Divergence {
			t.Errorf("delay %d: the step ended with %v, want a divergence", delay, f)
		}
		n.discard()
		<-n.done // the bubble has ended
		n = start(boot{nodes: 1})
		n.perform(&input{kind: bootInput, boot: new(boot)}, func(ctx context.Context, _ *Host) error { <-ctx.Done(); return nil })
		if n.over {
			t.Error("the program of the next node ended")
		}
		n.discard()
		stepping.Unlock()
	}
}

// locked reports whether the calling goroutine is locked to its thread.
func locked() bool {
	header, _, _ := strings.Cut(string(debug.Stack()), "\n")
	return strings.Contains(header, "locked to thread")
}

// A panic on the goroutine of the handler ends the step: the handler is locked to its thread as before, and other nodes run.
func TestStep_PanicEndsStep(t *testing.T) {
	stepping.Lock()
	defer stepping.Unlock()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	waits := func(ctx context.Context, _ *Host) error { <-ctx.Done(); return nil }
	n := start(boot{nodes: 1})
	n.perform(&input{kind: bootInput, boot: new(boot)}, waits)
	func() {
		defer func() {
			if r := recover(); r != "mine" {
				t.Errorf("the step ended with %v", r)
			}
		}()
		n.step(func() { panic("mine") })
	}()
	if !locked() || id() != 0 {
		t.Errorf("after the step: locked to the thread: %t, goroutine %d of a node", locked(), id())
	}
	n.discard()
	n = start(boot{nodes: 1})
	n.perform(&input{kind: bootInput, boot: new(boot)}, waits)
	if n.over {
		t.Error("the program of the next node ended")
	}
	n.discard()
}
