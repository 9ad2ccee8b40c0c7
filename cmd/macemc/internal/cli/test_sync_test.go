package cli

import (
	"strings"
	"testing"
)

// All operations of a sync.Map are scheduling points. What the orders of points do not cover is not called complete.
func TestTest_Covers(t *testing.T) {
	testFile(t, `package x

import (
	"iter"
	"sync"
	"sync/atomic"
	"testing"
)

func twice(f func()) {
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(f)
	}
	wg.Wait()
}

func TestDeletes(t *testing.T) {
	var m sync.Map
	var n atomic.Int32
	m.Store("k", 1)
	twice(func() {
		if _, ok := m.Load("k"); ok {
			m.Delete("k")
			n.Add(1)
		}
	})
	if n.Load() == 2 {
		t.Error("deleted twice")
	}
}

func TestOKIterator(t *testing.T) {
	var n atomic.Int32
	twice(func() {
		next, stop := iter.Pull(func(yield func(int) bool) {
			v := n.Load()
			n.Store(v + 1)
			yield(1)
		})
		next()
		stop()
	})
	if n.Load() != 2 {
		t.Error("lost an update")
	}
}

func TestOKTries(t *testing.T) {
	var m sync.RWMutex
	c, done := make(chan bool), make(chan bool)
	go func() {
		m.Lock()
		<-c
		m.Unlock()
		close(done)
	}()
	wrote, read := m.TryLock(), false
	if wrote {
		m.Unlock()
	} else if read = m.TryRLock(); read {
		m.RUnlock()
	}
	close(c)
	<-done
	if !wrote && read {
		t.Error("a reader came between the steps of Lock")
	}
}
`)
	testReports(t, []string{"FAILED TEST: x_test.go:29: deleted twice"}, 1, "-count=1", "-run=Deletes", ".")
	for name, why := range map[string]string{
		"Iterator": "it uses iter.Pull, whose iterators have no scheduling points",
		"Tries":    "it tries to lock an RWMutex, whose Lock can be seen in two steps",
	} {
		testReports(t, []string{"; not complete: " + why + "\n"}, 0, "-v", "-exhaustive", "-run="+name, ".")
	}
}

// Misuse of T.Parallel panics as under go test.
func TestTest_Parallel(t *testing.T) {
	testFile(t, `package x

import "testing"

func TestTwice(t *testing.T) {
	t.Parallel()
	t.Parallel()
}

func TestSetenv(t *testing.T) {
	t.Setenv("A", "b")
	t.Parallel()
}

func TestChdir(t *testing.T) {
	t.Parallel()
	t.Chdir(t.TempDir())
}

func TestOK(t *testing.T) {
	t.Parallel()
	t.Run("sub", func(t *testing.T) { t.Parallel() })
}
`)
	out, status := testCommand(t.Context(), "-count=1", "-v", ".")
	for _, want := range []string{
		"PANIC: testing: t.Parallel called multiple times", "--- FAIL: TestSetenv", "--- FAIL: TestChdir", "--- PASS: TestOK ",
		"testing: test using t.Setenv, t.Chdir, or cryptotest.SetGlobalRandom can not use t.Parallel",
	} {
		if status != 1 || !strings.Contains(out, want) {
			t.Errorf("status %d, %q is missing:\n%s", status, want, out)
		}
	}
}

// Goroutines of packages may stop a test's timers. A test that resets a timer of a package, or the reverse, is executed once.
func TestTest_TimersAcross(t *testing.T) {
	testFile(t, `package x

import (
	"context"
	"testing"
	"time"
)

var (
	jobs = make(chan func())
	idle = time.NewTimer(time.Hour)
	tick = time.NewTicker(time.Hour)
)

func init() {
	go func() {
		for f := range jobs {
			f()
		}
	}()
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	jobs <- cancel
	<-ctx.Done()
	if ctx.Err() != context.Canceled {
		t.Error(ctx.Err())
	}
}

func TestStop(t *testing.T) {
	timer := time.NewTimer(time.Minute)
	stopped := make(chan bool)
	jobs <- func() { stopped <- timer.Stop() }
	if !<-stopped {
		t.Error("not stopped")
	}
}

func TestReset(t *testing.T) {
	idle.Reset(time.Millisecond)
	<-idle.C
}

func TestTicker(t *testing.T) {
	tick.Reset(time.Millisecond)
	defer tick.Reset(time.Hour)
	<-tick.C
}

func TestResetByOther(t *testing.T) {
	timer := time.NewTimer(time.Hour)
	jobs <- func() { timer.Reset(time.Millisecond) }
	<-timer.C
}
`)
	testReports(t, []string{
		"--- PASS: TestCancel", "--- PASS: TestStop", "--- PASS: TestReset ", "--- PASS: TestTicker", "--- PASS: TestResetByOther",
		"the run above is repeated: it resets a timer that was made outside the test", // it begins with the initialization of the package
		"the run above is repeated: a goroutine that a package has started resets a timer of the test",
		"100 schedules of 5 tests",
	}, 0, "-schedules=20", "-v", ".")
}
