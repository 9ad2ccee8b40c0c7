package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Timers of one instant fire in any order, and goroutines run in between.
func TestTest_TimersOfOneInstant(t *testing.T) {
	testFile(t, `package timers

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func first(t *testing.T, wrong int) {
	synctest.Test(t, func(t *testing.T) {
		got := 3
		select {
		case <-time.After(time.Second):
			got = 1
		case <-time.After(time.Second):
			got = 2
		case <-time.After(2 * time.Second):
		}
		if got == wrong {
			t.Error("timer", got)
		}
	})
}

func TestFirst(t *testing.T)  { first(t, 1) }
func TestSecond(t *testing.T) { first(t, 2) }
func TestThird(t *testing.T)  { first(t, 3) }

func ticks(t *testing.T, wrong int) {
	synctest.Test(t, func(t *testing.T) {
		ticker := time.NewTicker(10 * time.Second)
		defer ticker.Stop()
		end := time.After(30 * time.Second)
		for n := 0; ; {
			select {
			case <-ticker.C:
				n++
			case <-end:
				if n == wrong {
					t.Error(n, "ticks")
				}
				return
			}
		}
	})
}

func sleepers(t *testing.T, again func()) {
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { time.Sleep(time.Second) })
	}
	again()
	wg.Wait()
}

func TestSleepers(t *testing.T) { sleepers(t, func() {}) }
func TestAfter(t *testing.T)    { sleepers(t, func() { <-time.After(time.Second) }) }

// The operations on the timer depend on each other, as do the ends of the goroutines, so there are at least four orders.
func TestTicket(t *testing.T) {
	ticket := time.NewTimer(time.Second)
	var wg sync.WaitGroup
	wg.Go(func() {
		time.Sleep(2 * time.Second)
		select {
		case <-ticket.C:
		default:
		}
	})
	wg.Go(func() { time.Sleep(2 * time.Second); ticket.Stop() })
	wg.Wait()
}

func TestContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	select {
	case <-ctx.Done():
	case <-time.After(time.Second):
	}
}

// between stops the second timer after the first one has fired.
func between(t *testing.T, wrong bool) {
	synctest.Test(t, func(t *testing.T) {
		second := time.NewTimer(time.Second)
		stopped := make(chan bool)
		time.AfterFunc(time.Second, func() { stopped <- second.Stop() })
		select {
		case <-second.C:
			<-stopped
		case got := <-stopped:
			if got == wrong {
				t.Error("stopped", got)
			}
		}
	})
}

func TestBetween(t *testing.T) { between(t, true) }
func TestNeither(t *testing.T) { between(t, false) }

func TestTwoTicks(t *testing.T)   { ticks(t, 2) }
func TestThreeTicks(t *testing.T) { ticks(t, 3) }
`)
	for _, args := range [][]string{{"-count=1", "-v", "-exhaustive", "."}, {"-count=1", "-v", "."}} {
		out, status := testCommand(t.Context(), args...)
		for _, want := range []string{
			"--- FAIL: TestFirst ", "--- FAIL: TestSecond ", "--- FAIL: TestTwoTicks ", "--- FAIL: TestThreeTicks ", "--- PASS: TestThird ",
			"--- FAIL: TestBetween ", "--- PASS: TestNeither ",
		} {
			if status != 1 || !strings.Contains(out, want) {
				t.Errorf("%v: status %d, %q is missing:\n%s", args, status, want, out)
			}
		}
		for test, want := range map[string]int{"TestThird": 4, "TestSleepers": 2, "TestAfter": 34} {
			_, of, _ := strings.Cut(out, "=== RUN   "+test+"\n")
			of, _, _ = strings.Cut(of, "=== RUN")
			if args[2] == "-exhaustive" && !strings.Contains(of, fmt.Sprintf("complete: all orders, by %d schedules", want)) {
				t.Errorf("%v: %s: want %d schedules:\n%s", args, test, want, out)
			}
		}
		if _, of, _ := strings.Cut(out, "=== RUN   TestTicket\n"); args[2] == "-exhaustive" {
			var n int
			if _, err := fmt.Sscanf(strings.TrimSpace(of), "macemc: complete: all orders, by %d schedules", &n); err != nil || n < 4 {
				t.Errorf("%v: TestTicket: %v, want at least 4 schedules:\n%s", args, err, out)
			}
		}
		if strings.Contains(out, "in a new process") {
			t.Errorf("%v: a finding is not replayed at once:\n%s", args, out)
		}
	}
}

// A test that polls forever is reported with the limit that it exceeds, at the end of -timeout, and what takes long is announced.
func TestTest_Polls(t *testing.T) {
	testFile(t, `package x

import (
	"sync/atomic"
	"testing"
	"time"
)

var done atomic.Bool

func TestSleeps(t *testing.T) {
	for !done.Load() {
		time.Sleep(time.Microsecond)
	}
}
`)
	testReports(t, []string{
		"macemc: example.org/x TestSleeps: a run advances the clock more than 100000 times; it is executed without exploration, until -timeout\n",
		"    macemc: NO END: the test does not return within 100000 advances of the clock\n",
		"    without exploration, it does not end before -timeout either, in ", "    replay: ", "panic: test timed out after 8s\n",
	}, 1, "-timeout=8s", ".")
}

// A run may advance the clock more often than the first one.
func TestTest_Ticks(t *testing.T) {
	testFile(t, `package x

import (
	"testing"
	"time"
)

func tick() {
	for range 100_000 {
		time.Sleep(time.Microsecond)
	}
}

func TestTicks(t *testing.T) {
	done := make(chan bool)
	go func() {
		tick()
		close(done)
	}()
	tick()
	<-done
}
`)
	testReports(t, []string{"ok  ", "6 schedules of 1 test"}, 0, "-count=1", "-schedules=6", ".")
}

// Time passes when the clock is read, also for goroutines that do nothing else, and not in a test of package synctest, whose Wait lets all
// others continue.
func TestTest_Clock(t *testing.T) {
	testFile(t, `package x

import (
	"math/rand"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var initialized = time.Now()

func TestPasses(t *testing.T) {
	var wg sync.WaitGroup
	var at [2]time.Time
	for i := range at {
		wg.Go(func() { at[i] = time.Now() })
	}
	wg.Wait()
	if at[0].Equal(at[1]) || time.Since(initialized) > 100*time.Millisecond {
		t.Error(at, initialized)
	}
}

func TestFires(t *testing.T) {
	timer := time.NewTimer(10*time.Microsecond)
	for start := time.Now(); time.Since(start) < 15*time.Microsecond; {
	}
	select {
	case <-timer.C:
	default:
		t.Error("the timer has not fired")
	}
}

func TestSpins(t *testing.T) {
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for start := time.Now(); time.Since(start) < time.Second; {
			}
		})
	}
	wg.Wait()
	for start := time.Now(); time.Since(start) < time.Second; {
	}
}

func TestBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		time.Sleep(time.Second)
		if d := time.Since(start); d != time.Second {
			t.Error(d)
		}
	})
}

// A goroutine that passes many points without waiting has not ended when the checker stops it.
func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mutex sync.Mutex
		done := false
		go func() {
			for range 3000 {
				mutex.Lock()
				mutex.Unlock()
			}
			done = true
		}()
		synctest.Wait()
		if !done {
			t.Error("Wait has returned before")
		}
	})
}

func TestSleeps(t *testing.T) {
	var mutex sync.Mutex
	done := rand.Intn(2)
	for range 5 {
		go func() {
			mutex.Lock()
			defer mutex.Unlock()
			done += 2
		}()
	}
	time.Sleep(10*time.Millisecond)
	mutex.Lock()
	defer mutex.Unlock()
	if done < 10 {
		t.Error(done)
	}
}
`)
	testReports(t, []string{"; delays above 1ms are not tried (raise -explore-delay, as to 100ms)\n", "--- PASS: TestSleeps", "--- PASS: TestPasses", "--- PASS: TestFires", "--- PASS: TestSpins", "--- PASS: TestBubble", "--- PASS: TestWait"}, 0, "-count=1", "-v", "-vet=off", "-schedules=200", ".")
}

// Bubbles of parallel subtests, as of package synctest.
func TestTest_Bubbles(t *testing.T) {
	testFile(t, `package x

import (
	"testing"
	"testing/synctest"
	"time"
)

func bubbles(t *testing.T, f func(*testing.T)) {
	for range 2 {
		t.Run("bubble", func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, f)
		})
	}
}

func TestBlocked(t *testing.T) { bubbles(t, func(*testing.T) { <-make(chan int) }) }

func TestAsleep(t *testing.T) { bubbles(t, func(*testing.T) { go time.Sleep(time.Second) }) }

func TestRight(t *testing.T) { bubbles(t, func(*testing.T) { time.Sleep(time.Second) }) }

func TestOther(t *testing.T) {
	t.Run("sleeps", func(t *testing.T) {
		t.Parallel()
		time.Sleep(time.Second)
	})
	bubbles(t, func(*testing.T) { time.Sleep(time.Second) })
}
`)
	testReports(t, []string{
		"--- FAIL: TestBlocked", "macemc: DEADLOCK: 4 goroutines are blocked", "waits for the bubble of another test",
		"--- FAIL: TestAsleep", "macemc: PANIC: deadlock: main bubble goroutine has exited but blocked goroutines remain\n", "--- PASS: TestRight",
		"not complete: its bubbles of testing/synctest execute one after another\n", "--- PASS: TestOther",
		"TestOther: not explored: it sets a timer while a bubble of testing/synctest executes, outside that\n",
	}, 1, "-count=1", "-v", "-vet=off", "-exhaustive", ".")
}

// Schedules of a test with many timers at one instant are the same in each process. The garbage moves what a select waits for.
func TestTest_ManyTimers(t *testing.T) {
	testFile(t, `package x

import (
	"fmt"
	"os"
	"sync"
	"testing"
	"time"
)

var garbage []byte

func TestX(t *testing.T) {
	var wg sync.WaitGroup
	order := 0
	for i := range 300 {
		wg.Go(func() {
			for range 5 {
				garbage = make([]byte, 20_000)
				tick, timer := time.NewTicker(time.Millisecond), time.NewTimer(3*time.Millisecond)
				for range 5 {
					garbage = make([]byte, 10_000)
					select {
					case <-tick.C:
					case <-timer.C:
					}
					order = order*31 + i
				}
				tick.Stop()
			}
		})
	}
	wg.Wait()
	f, err := os.OpenFile("orders", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(f, order)
	f.Close()
}
`)
	var orders [2]string
	for i := range orders {
		testReports(t, []string{"8 schedules of 1 test"}, 0, "-count=1", "-schedules=8", ".")
		text, err := os.ReadFile("orders")
		if err != nil {
			t.Fatal(err)
		}
		if lines := strings.SplitAfterN(string(text), "\n", 9); len(lines) == 9 { // time decides how many predictions are tried afterwards
			orders[i] = strings.Join(lines[:8], "")
		}
		os.Remove("orders")
	}
	if orders[0] != orders[1] || orders[0] == "" {
		t.Errorf("orders of two processes:\n%s\n%s", orders[0], orders[1])
	}
}
