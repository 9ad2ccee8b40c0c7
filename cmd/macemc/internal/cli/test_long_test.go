package cli

import (
	"regexp"
	"strings"
	"testing"
)

// Long runs are explored if their operations would take as long in reality, or if they only last for a time. A timer does not fire early
// because others have passed many points.
func TestTest_LongRuns(t *testing.T) {
	testFile(t, `package x

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// exchange makes two goroutines hand over values.
func exchange(n int, each func(i int)) {
	c, d := make(chan int), make(chan int)
	go func() {
		for x := range c {
			d <- x
		}
		close(d)
	}()
	for i := range n {
		c <- i
		<-d
		each(i)
	}
	close(c)
	<-d
}

func TestLong(t *testing.T) { exchange(1_500_000, func(int) {}) }

func TestTimeout(t *testing.T) {
	late := time.After(5 * time.Second)
	exchange(60_000, func(i int) {
		select {
		case <-late:
			t.Fatal("late")
		default:
		}
	})
}

func TestComputes(t *testing.T) {
	var mu sync.Mutex
	done := make(chan bool)
	go func() {
		for range 50_000 {
			mu.Lock()
			mu.Unlock()
		}
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(200 * time.Millisecond):
		t.Error("late")
	}
}

func TestLasts(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	stop := make(chan bool)
	for range 3 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					mu.Lock()
					mu.Unlock()
				}
			}
		})
	}
	time.Sleep(time.Second)
	close(stop)
	wg.Wait()
}

// The second goroutine ends when the first one, which is busy, lets it.
func TestBusy(t *testing.T) {
	var stop atomic.Bool
	go func() {
		for range 3000 {
			stop.Load()
		}
		stop.Store(true)
	}()
	for !stop.Load() {
		exchange(10, func(int) {})
	}
}

func TestTimeless(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		go time.Sleep(time.Minute)
		start := time.Now()
		var n atomic.Int32
		for range 20_000 {
			n.Add(1)
		}
		if d := time.Since(start); d != 0 {
			t.Error(d)
		}
		time.Sleep(time.Minute)
	})
}
`)
	out, status := testCommand(t.Context(), "-count=1", "-v", "-schedules=20", ".")
	for _, want := range []string{
		"macemc: example.org/x TestLong: not explored: it passes more than 5000000 scheduling points in a run\n", "--- PASS: TestLong ",
		"--- PASS: TestTimeout ", "--- PASS: TestComputes ", "--- PASS: TestLasts ", "--- PASS: TestBusy ", "--- PASS: TestTimeless ",
	} {
		if status != 0 || !strings.Contains(out, want) {
			t.Errorf("status %d, %q is missing:\n%s", status, want, out)
		}
	}
	if n := strings.Count(out, "not explored"); n != 1 {
		t.Errorf("%d tests are not explored:\n%s", n, out)
	}
}

// A test that sleeps while a thousand goroutines are busy is explored, although each of them has a turn before it wakes.
func TestTest_BusyCrowd(t *testing.T) {
	testFile(t, `package x

import (
	"sync"
	"testing"
	"time"
)

func TestCrowd(t *testing.T) {
	for range 1000 {
		go func() {
			var mu sync.Mutex
			for range 10_000 {
				mu.Lock()
				mu.Unlock()
			}
		}()
	}
	time.Sleep(time.Second)
}
`)
	testReports(t, []string{"3 schedules of 1 test"}, 0, "-count=1", "-schedules=3", ".")
}

// The debugger shows the last steps of a long run, with the states of goroutines, or those around its first difference from the default
// order.
func TestTest_LongTrace(t *testing.T) {
	testFile(t, `package x

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestDeadlock(t *testing.T) {
	c, d := make(chan int), make(chan int)
	go func() {
		for x := range c {
			d <- x
		}
	}()
	for i := range 40_000 {
		c <- i
		<-d
	}
	var mu sync.Mutex
	mu.Lock()
	mu.Lock()
}

func TestEarly(t *testing.T) {
	var n atomic.Int32
	go n.Store(1)
	early := n.Load() == 1
	for range 150_000 {
		n.Add(1)
	}
	if early {
		t.Error("early")
	}
}
`)
	early := `(?m)goroutine 2 runs before goroutine 1's step 1 \(starts a goroutine at x_test.go:27 in TestEarly\)`
	if out, status := testCommand(t.Context(), "-count=1", "-run=Early", "."); status != 1 || !regexp.MustCompile(early).MatchString(out) {
		t.Errorf("status %d, %s is missing:\n%s", status, early, out)
	}
	out, status := commandHere(t.Context(), "mdb", "testdata/macemc/TestEarly/failed-test-1.path", "--batch", "-x", "steps 1 5; end")
	const recorded = `the steps are operations 1 to 131070 of 150\d{3} (.*\n)+ +2  g2 calls Store .*\n +3  g1 calls Load (.*\n)+` +
		`step 131070 of 131070: g1 calls Add\(1\) of atomic .n.  .*\n  FAILED TEST: after 19\d{3} more operations, which are not recorded: `
	if status != 0 || !regexp.MustCompile(recorded).MatchString(out) {
		t.Errorf("status %d, got\n%.2000s\nwant %s", status, out, recorded)
	}
	testReports(t, []string{"DEADLOCK: ", "goroutine 1 waits to lock Mutex `mu` at x_test.go:22 in TestDeadlock"}, 1, "-count=1", "-run=Deadlock", ".")
	out, status = commandHere(t.Context(), "mdb", "testdata/macemc/TestDeadlock/deadlock-1.path", "--batch", "-x", "goto 0; end; waits")
	for _, want := range []string{
		"the record begins after operation ", "the steps are operations 28935 to 160006 of 160006 ", "DEADLOCK: 2 goroutines are blocked",
		"g1 waits to lock Mutex `mu` at x_test.go:22 in TestDeadlock, since step 131071, held by g1\n", "g2 waits to receive from channel `c` at",
	} {
		if status != 0 || !strings.Contains(out, want) {
			t.Errorf("status %d, %q is missing:\n%.2000s", status, want, out)
		}
	}
}

// A ticker beside a test that does not return hides no deadlock, and delays no verdict: nothing reachable can wake the test, or its
// clock has passed -timeout. A test that something may wake later goes on.
func TestTest_TickerBesideDeadlock(t *testing.T) {
	testFile(t, `package x

import (
	"sync"
	"testing"
	"time"
)

func ticks(f func()) {
	for range time.Tick(500 * time.Millisecond) {
		f()
	}
}

func TestUnreachable(t *testing.T) {
	go ticks(func() {})
	<-make(chan bool)
}

func TestReachable(t *testing.T) {
	var mu sync.Mutex
	changed, n := sync.NewCond(&mu), 0
	go ticks(func() {
		mu.Lock()
		if n < 0 {
			changed.Signal()
		}
		mu.Unlock()
	})
	mu.Lock()
	changed.Wait()
}

func TestOKLate(t *testing.T) {
	done, n := make(chan bool), 0
	go ticks(func() {
		if n++; n == 1000 {
			done <- true
		}
	})
	<-done
}

func TestOKSubtest(t *testing.T) {
	t.Run("sub", func(t *testing.T) { time.Sleep(9 * time.Minute) })
	n := 0
	for range time.Tick(time.Second) {
		if n++; n == 400 {
			break
		}
	}
}
`)
	out, status := testCommand(t.Context(), "-count=1", "-v", "-schedules=3", "-leaks=false", "-timeout=20m", ".")
	expect(t, out, "DEADLOCK: 1 goroutine is blocked and nothing can wake it\n.*goroutine 1 waits to receive from channel .make.chan bool.. at x_test.go:17 ",
		"NO END: the test does not return within 40m0s, twice its time limit\n.*goroutine 1 waits for Cond `changed` at x_test.go:31",
		"--- PASS: TestOKLate", "--- PASS: TestOKSubtest")
	if status != 1 {
		t.Errorf("status %d", status)
	}
}
