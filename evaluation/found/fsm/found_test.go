package fsm

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/looplab/fsm"
)

// Goroutines open and close a door. The callbacks of a state are found by the current state, which may be another one by then. Ten of ten
// tests failed.
func TestEnterState(t *testing.T) {
	runtime.GOMAXPROCS(16) // More threads than processors: the system pauses them at any operation.
	var wrong atomic.Value
	check := func(state string) fsm.Callback {
		return func(_ context.Context, e *fsm.Event) {
			if e.Dst != state {
				wrong.Store("the callback for entering the state " + state + " is called for an event that leads to " + e.Dst)
			}
		}
	}
	door := fsm.NewFSM("closed",
		fsm.Events{
			{Name: "open", Src: []string{"closed"}, Dst: "open"},
			{Name: "close", Src: []string{"open"}, Dst: "closed"},
		},
		fsm.Callbacks{"enter_open": check("open"), "enter_closed": check("closed")})
	start := time.Now()
	var wg sync.WaitGroup
	for _, event := range []string{"open", "close"} {
		for range 4 {
			wg.Go(func() {
				for time.Since(start) < time.Minute && wrong.Load() == nil {
					door.Event(context.Background(), event)
				}
			})
		}
	}
	wg.Wait()
	if message := wrong.Load(); message != nil {
		t.Error(message)
	}
}
