//go:build macemc_overlay

package bubble

import (
	"context"
	"os"
	"runtime"
	"slices"
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
		n.perform(&input{kind: bootInput, boot: new(boot), seeds: seeds{how: sim.Random, pick: pick}}, program)
		text := n.goroutines()
		if shown := strings.HasPrefix(text, "goroutine 1 pauses before heldback_test.go:"); shown != (n.ctl.heldBack > 0) {
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

// exiting is a process that changes the value that Observe shows, and ends, while another goroutine uses a lock.
type exiting struct {
	library bool // the lock is not the one that Observe needs
	holds   bool // the process ends while it holds the one that Observe needs
	end     func(h *Host)

	observed, other, place sync.Mutex
	value, atEnd           int
}

func (e *exiting) switches() {
	e.place.Lock()
	e.place.Unlock() //lint:ignore SA2001 only the place to switch matters
}

func (e *exiting) run(ctx context.Context, h *Host) error {
	h.Observe(func() any { e.observed.Lock(); defer e.observed.Unlock(); return e.value })
	lock := &e.observed
	if e.library {
		lock = &e.other
	}
	go func() {
		for range 3 {
			lock.Lock()
			e.switches()
			lock.Unlock()
		}
	}()
	e.observed.Lock()
	if e.value = 1; !h.halted {
		e.atEnd = 1
	}
	if !e.holds {
		e.observed.Unlock()
	}
	e.switches()
	if e.end != nil {
		e.end(h)
	}
	<-ctx.Done()
	return nil
}

// The value that a process shows last is that of its end, whatever locks its other goroutines hold and wherever the schedule holds one back.
func TestExit_Observed(t *testing.T) {
	stepping.Lock()
	defer stepping.Unlock()
	runtime.GOMAXPROCS(1)
	exits := func(h *Host) { h.exit("exit status 0") }
	for name, example := range map[string]*exiting{
		"lock of a library":        {library: true, end: exits},
		"lock of Observe":          {end: exits},
		"lock of its own":          {library: true, holds: true, end: exits},
		"signal by itself":         {library: true, end: func(*Host) { machines{}.Signal(machines{}.Pid(), os.Kill) }},
		"signal between its steps": {library: true},
	} {
		held, changed := 0, 0
		for pick := range 200 {
			e, seen := exiting{library: example.library, holds: example.holds, end: example.end}, any(0)
			n := start(boot{nodes: 1})
			perform := func(in *input) {
				if n.perform(in, e.run); n.fresh != nil {
					seen = n.fresh
				}
			}
			perform(&input{kind: bootInput, boot: &boot{command: new(command)}, seeds: seeds{how: sim.Random, pick: pick}})
			for !n.over {
				if n.ctl.heldBack > 0 {
					held++
				}
				next := &input{kind: wakeInput}
				if e.end == nil {
					next = &input{kind: callInput, call: &call{on: func(h *Host) { interrupt(h, os.Kill) }}, seeds: seeds{how: sim.Random, pick: pick + 1}}
				}
				perform(next)
			}
			stale := slices.Contains(n.host.lines, unobserved)
			if changed += e.atEnd; seen != e.atEnd && !e.holds || stale != e.holds || n.deadlock() != "" {
				t.Errorf("%s, schedule %d: observed %v and not %v, stale %v, deadlock %q", name, pick, seen, e.atEnd, stale, n.deadlock())
			}
			n.discard()
		}
		if held == 0 || changed == 0 {
			t.Errorf("%s: %d schedules hold a goroutine back, %d change the value", name, held, changed)
		}
	}
}
