package cli

import (
	"os"
	"strings"
	"testing"
)

// A goroutine is delayed for as long as -explore-delay says, also when its schedule is replayed.
func TestTest_Delay(t *testing.T) {
	testFile(t, `package x

import (
	"sync/atomic"
	"testing"
	"time"
)

func TestEarly(t *testing.T) {
	var ready atomic.Bool
	go ready.Store(true)
	time.Sleep(50 * time.Millisecond)
	if !ready.Load() {
		t.Error("not ready")
	}
}
`)
	testReports(t, []string{"; delays above 1ms are not tried (raise -explore-delay, as to 100ms)\n"}, 0, "-v", "-schedules=200", ".")
	testReports(t, []string{"; delays above 10ms are not tried (raise -explore-delay, as to 1s)\n"}, 0, "-v", "-explore-delay=10ms", "-schedules=200", ".")
	testReports(t, []string{"FAILED TEST: x_test.go:14: not ready\n"}, 1, "-explore-delay=50ms", ".")
	if text, err := os.ReadFile("testdata/macemc/TestEarly/failed-test-1.path"); err != nil || !strings.Contains(string(text), "\ndelay 50ms\n") {
		t.Errorf("stored: %s, %v", text, err)
	}
	testReports(t, []string{"FAILED TEST: x_test.go:14: not ready\n"}, 1, "-schedule=last", ".")
}

// A failure that needs a long delay says so, with the shortest one. Its schedule fails again only if that delay is permitted.
func TestTest_DelayExplained(t *testing.T) {
	testFile(t, `package x

import (
	"sync/atomic"
	"testing"
	"time"
)

func TestLease(t *testing.T) {
	var renewed atomic.Bool
	go renewed.Store(true)
	time.Sleep(20 * time.Millisecond)
	if !renewed.Load() {
		t.Error("expired")
	}
}
`)
	held := "a runnable goroutine is held for up to 20ms of the test's clock; tests that rely on real time may fail then\n"
	testReports(t, []string{"FAILED TEST: x_test.go:14: expired\n", held}, 1, "-explore-delay=100ms", ".")
	if text, err := os.ReadFile("testdata/macemc/TestLease/failed-test-1.path"); err != nil || !strings.Contains(string(text), "\ndelay 20ms\n") {
		t.Errorf("stored: %s, %v", text, err)
	}
	testReports(t, []string{"fails if a goroutine is held for 20ms under a saved schedule: x_test.go:14: expired"}, 0, "-schedules=20", ".")
	testReports(t, []string{"found by a schedule in testdata/macemc/TestLease", held}, 1, "-explore-delay=20ms", ".")
	testReports(t, []string{"FAILED TEST: x_test.go:14: expired\n", held}, 1, "-schedule=last", ".")
}

// A timer fires before a goroutine that was preempted continues, although the one that has set it ended without a point in between.
func TestTest_DelayAfterEnd(t *testing.T) {
	testFile(t, `package x

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestGap(t *testing.T) {
	var x, y atomic.Int32
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for range 20 {
				y.Add(1)
			}
		})
	}
	wg.Wait()
	a, fired := make(chan bool, 1), make(chan bool)
	go func() {
		<-a
		time.AfterFunc(100*time.Microsecond, func() {
			if x.Load() == 0 {
				t.Error("early")
			}
			close(fired)
		})
	}()
	a <- true
	x.Store(1)
	<-fired
}
`)
	testReports(t, []string{"early", "found by schedule"}, 1, "-count=1", "-schedules=600", "-explore-time=1m", "-explore-seed=2", ".")
}

// The exhaustive exploration lets time pass before a goroutine that has not run yet sets a timer, and before a goroutine continues that was
// preempted before the timer was set. It says that longer delays are missing.
func TestTest_DelayExhaustive(t *testing.T) {
	testFile(t, `package x

import (
	"sync/atomic"
	"testing"
	"time"
)

func TestTwice(t *testing.T) {
	start := time.Now()
	c := make(chan int)
	go func() { c <- 1 }()
	late := time.NewTimer(3 * time.Millisecond)
	select {
	case <-c:
		later := time.NewTimer(3 * time.Millisecond)
		d := make(chan int)
		go func() { d <- 1 }()
		select {
		case <-d:
		case <-later.C:
			if time.Since(start) > 4*time.Millisecond {
				t.Error("both are late")
			}
			<-d
		}
	case <-late.C:
		<-c
	}
}

func TestPreempted(t *testing.T) {
	var v atomic.Int32
	go func() {
		v.Add(1)
		v.Add(1)
	}()
	if v.Load() == 1 {
		time.Sleep(3 * time.Millisecond)
		if v.Load() == 1 {
			t.Error("late")
		}
	}
}
`)
	const all = "complete: all orders, by "
	paused, twice := "-run=TestPreempted", "-run=TestTwice"
	testReports(t, []string{all, "and delays add up to at most 1ms "}, 0, "-v", "-exhaustive", paused, ".")
	testReports(t, []string{"FAILED TEST: x_test.go:41: late\n", "strategy exhaustive"}, 1, "-exhaustive", "-explore-delay=7ms", paused, ".")
	testReports(t, []string{"FAILED TEST: x_test.go:41: late\n"}, 1, "-schedule=last", ".")
	testReports(t, []string{all, " and delays add up to at most 5.999ms "}, 0, "-v", "-exhaustive", "-explore-delay=5999us", twice, ".")
	testReports(t, []string{"FAILED TEST: x_test.go:23: both are late\n", "strategy exhaustive"}, 1, "-exhaustive", "-explore-delay=7ms", twice, ".")
}

// The last operation of a run stops or resets a timer that is due.
func TestTest_DueTimers(t *testing.T) {
	testFile(t, `package x

import (
	"testing"
	"time"
)

func due() *time.Timer {
	timer := time.AfterFunc(100, func() {})
	time.Now()
	return timer
}

func TestStops(t *testing.T) {
	go func() { due().Stop() }()
}

func TestResets(t *testing.T) {
	go func() { due().Reset(time.Hour) }()
}
`)
	testReports(t, []string{"ok  "}, 0, "-schedules=50", ".")
}

// A goroutine that remains only after a long delay, and ends in other schedules, is no leak.
func TestTest_DelayedLeak(t *testing.T) {
	testFile(t, `package x

import (
	"sync"
	"testing"
	"time"
)

var never = make(chan bool)

func TestLeft(t *testing.T) {
	var mu sync.Mutex
	late := false
	go func() {
		mu.Lock()
		wait := late
		mu.Unlock()
		if wait {
			<-never
		}
	}()
	time.Sleep(time.Second)
	mu.Lock()
	late = true
	mu.Unlock()
}
`)
	testReports(t, []string{"left after the test has returned"}, 0, "-count=1", ".")
}
