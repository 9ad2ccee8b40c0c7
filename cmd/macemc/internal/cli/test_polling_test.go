package cli

import (
	"regexp"
	"testing"
)

// pollingForms are ways to wait for a result by polling, for at most a duration, and what may take less than that.
const pollingForms = `package x

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// result is what the forms wait for. A goroutine holds busy until the result is there.
type result struct {
	done  chan bool
	flag  atomic.Bool
	busy  sync.Mutex
	mu    sync.Mutex
	there bool
	m     sync.Map
}

func (r *result) set() {
	r.flag.Store(true)
	r.mu.Lock()
	r.there = true
	r.mu.Unlock()
	r.m.Store(1, 1)
	r.done <- true
	r.busy.Unlock()
}

func (r *result) locked() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.there
}

func now(r *result) bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

var forms = map[string]func(r *result, d time.Duration) bool{
	"before": func(r *result, d time.Duration) bool {
		for end := time.Now().Add(d); time.Now().Before(end); {
			if now(r) {
				return true
			}
		}
		return false
	},
	"since": func(r *result, d time.Duration) bool {
		for start := time.Now(); !r.flag.Load(); {
			if time.Since(start) > d {
				return false
			}
		}
		return true
	},
	"until": func(r *result, d time.Duration) bool {
		for end := time.Now().Add(d); time.Until(end) > 0; runtime.Gosched() {
			if r.locked() {
				return true
			}
		}
		return false
	},
	"after": func(r *result, d time.Duration) bool {
		for timeout := time.After(d); ; {
			select {
			case <-timeout:
				return false
			default:
			}
			if r.flag.Load() {
				return true
			}
		}
	},
	"select": func(r *result, d time.Duration) bool {
		timer := time.NewTimer(d)
		defer timer.Stop()
		for {
			select {
			case <-r.done:
				return true
			case <-timer.C:
				return false
			default:
				runtime.Gosched()
			}
		}
	},
	"sleep": func(r *result, d time.Duration) bool {
		for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(time.Millisecond) {
			if r.flag.Load() {
				return true
			}
		}
		return false
	},
	"context": func(r *result, d time.Duration) bool {
		ctx, cancel := context.WithTimeout(context.Background(), d)
		defer cancel()
		for ctx.Err() == nil {
			if r.locked() {
				return true
			}
		}
		return false
	},
	"done": func(r *result, d time.Duration) bool {
		ctx, cancel := context.WithTimeout(context.Background(), d)
		defer cancel()
		for {
			select {
			case <-ctx.Done():
				return false
			default:
				if len(r.done) > 0 {
					return true
				}
			}
		}
	},
	"trylock": func(r *result, d time.Duration) bool {
		for end := time.Now().Add(d); time.Now().Before(end); {
			if r.busy.TryLock() {
				r.busy.Unlock()
				return true
			}
		}
		return false
	},
	"flag": func(r *result, d time.Duration) bool {
		var late atomic.Bool
		defer time.AfterFunc(d, func() { late.Store(true) }).Stop()
		for !late.Load() {
			if _, ok := r.m.Load(1); ok {
				return true
			}
		}
		return false
	},
	"eventually": func(r *result, d time.Duration) bool {
		c, timer, ticker := make(chan bool, 1), time.NewTimer(d), time.NewTicker(time.Millisecond)
		defer timer.Stop()
		defer ticker.Stop()
		for tick := ticker.C; ; {
			select {
			case <-timer.C:
				return false
			case <-tick:
				tick = nil
				go func() { c <- r.flag.Load() }()
			case ok := <-c:
				if ok {
					return true
				}
				tick = ticker.C
			}
		}
	},
}

// names has the order of execution, which must not be that of the map.
var names = []string{"before", "since", "until", "after", "select", "sleep", "context", "done", "trylock", "flag", "eventually"}

// all waits in each form for what work sets.
func all(t *testing.T, work func(set func())) {
	for _, name := range names {
		r := &result{done: make(chan bool, 1)}
		r.busy.Lock()
		go work(r.set)
		if !forms[name](r, 50*time.Millisecond) {
			t.Errorf("%s: timed out", name)
		}
		r.busy.Lock() // what set does last
	}
}

func TestAtOnce(t *testing.T) { all(t, func(set func()) { set() }) }

func TestChain(t *testing.T) {
	all(t, func(set func()) {
		a, b := make(chan int), make(chan int, 1)
		go func() { a <- 1 }()
		go func() { b <- <-a }()
		<-b
		set()
	})
}

func TestHandshakes(t *testing.T) {
	all(t, func(set func()) {
		a, b := make(chan int), make(chan int)
		go func() {
			for x := range a {
				b <- x
			}
		}()
		for i := range 60 {
			a <- i
			<-b
		}
		close(a)
		set()
	})
}

func TestSleeps(t *testing.T) {
	all(t, func(set func()) {
		for range 10 {
			time.Sleep(time.Millisecond)
		}
		set()
	})
}

func TestComputes(t *testing.T) {
	all(t, func(set func()) {
		var mu sync.Mutex
		for range 3000 {
			mu.Lock()
			mu.Unlock()
		}
		set()
	})
}

// TestSum measures the time that operations of two goroutines take while two others read the clock all the time.
func TestSum(t *testing.T) {
	var stop atomic.Bool
	for range 2 {
		go func() {
			for !stop.Load() {
				time.Now()
			}
		}()
	}
	a, b, start := make(chan int), make(chan int), time.Now()
	go func() {
		for x := range a {
			b <- x
		}
	}()
	for i := range 200 {
		a <- i
		<-b
	}
	if d := time.Since(start); d > 4*time.Millisecond {
		t.Errorf("it took %v", d)
	}
	close(a)
	stop.Store(true)
}
`

// slowForms are tests that fail in each form that waits too briefly.
const slowForms = `
func slow(t *testing.T, name string) {
	r := &result{done: make(chan bool, 1)}
	r.busy.Lock()
	go func() {
		time.Sleep(200 * time.Millisecond)
		r.set()
	}()
	if !forms[name](r, 50*time.Millisecond) {
		t.Error("timed out")
	}
	r.busy.Lock()
}

func TestSlowSince(t *testing.T)   { slow(t, "since") }
func TestSlowSelect(t *testing.T)  { slow(t, "select") }
func TestSlowSleep(t *testing.T)   { slow(t, "sleep") }
func TestSlowContext(t *testing.T) { slow(t, "context") }
`

// A goroutine that waits for another one by polling never reaches its deadline, as long as that one can run. Those that wait too briefly
// fail.
func TestTest_PollingWaits(t *testing.T) {
	testFile(t, pollingForms+slowForms)
	testReports(t, []string{"--- PASS: TestSum"}, 0, "-count=1", "-v", "-schedules=150", "-explore-time=1m", "-skip=Slow", ".")
	out, status := testCommand(t.Context(), "-count=1", "-run=Slow", ".")
	if n := len(regexp.MustCompile(`FAILED TEST: x_test.go:\d+: timed out\n.*found by schedule 1 `).FindAllString(out, -1)); status != 1 || n != 4 {
		t.Errorf("status %d, %d of 4 tests that are too slow fail in the default order:\n%s", status, n, out)
	}
}
