//go:build macemc_overlay

package bubble

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/macemc/macemc/sim"
)

// A goroutine that the schedule holds back is shown as such, and the program shows no state before that goroutine has run.
func TestHeldBack_NotObserved(t *testing.T) {
	stepping.Lock()
	defer stepping.Unlock()
	runtime.GOMAXPROCS(1)
	program := func(ctx context.Context, h *Host) error {
		var mu sync.Mutex
		h.Observe(func() any { return 1 })
		for range 3 {
			mu.Lock()
			mu.Unlock() //lint:ignore SA2001 only the place to switch matters
		}
		<-ctx.Done()
		return nil
	}
	held := 0
	for pick := range 100 {
		n := start(boot{nodes: 1})
		n.perform(&input{kind: bootInput, boot: new(boot), how: sim.Random, pick: pick}, program)
		text := n.goroutines()
		if shown := strings.HasPrefix(text, "held back until the next step "); shown != (n.ctl.heldBack > 0) {
			t.Errorf("schedule %d: %d goroutines are held back, shown is %q", pick, n.ctl.heldBack, text)
		}
		if n.ctl.heldBack > 0 {
			held++
			if n.fresh != nil || !n.stale() {
				t.Errorf("schedule %d: observed %v, stale %v, while a goroutine is held back", pick, n.fresh, n.stale())
			}
			n.perform(&input{kind: wakeInput}, nil)
		}
		if n.fresh != 1 || n.stale() {
			t.Errorf("schedule %d: observed %v, stale %v, when all goroutines wait", pick, n.fresh, n.stale())
		}
		n.discard()
	}
	if held == 0 {
		t.Error("no schedule holds a goroutine back")
	}
}

// A goroutine that is stopped because it runs on without waiting is shown as busy.
func TestBusy_Shown(t *testing.T) {
	stepping.Lock()
	defer stepping.Unlock()
	runtime.GOMAXPROCS(1)
	n := start(boot{nodes: 1})
	defer n.discard()
	n.perform(&input{kind: bootInput, boot: new(boot)}, func(ctx context.Context, _ *Host) error {
		for ctx.Err() == nil {
			runtime.Gosched()
		}
		return nil
	})
	if text := n.goroutines(); !strings.HasPrefix(text, "busy ") {
		t.Errorf("shown is %q", text)
	}
}
