package cli

import (
	"strings"
	"testing"
)

// A goroutine that a package has started may wake goroutines of a test after all of them waited.
func TestTest_WokenFromOutside(t *testing.T) {
	testFile(t, `package x

import (
	"sync"
	"testing"
)

var ask = make(chan *sync.WaitGroup)

func init() {
	go func() {
		for w := range ask {
			w.Done()
		}
	}()
}

func TestAsk(t *testing.T) {
	var w sync.WaitGroup
	w.Add(3)
	for range 3 {
		go func() { ask <- &w }()
	}
	w.Wait()
}
`)
	for _, seed := range []string{"1", "2", "3"} {
		testReports(t, []string{"\t2,000 schedules of 1 test"}, 0, "-schedules=2000", "-explore-time=1m", "-explore-seed="+seed, ".")
	}
}

// A deadlock is not reported before goroutines of packages that sleep or set timers could wake the test, and these do not race with what is
// restored between runs.
func TestTest_SleepsOutside(t *testing.T) {
	testFile(t, `package x

import (
	"testing"
	"time"
)

var sleeper, setter = make(chan chan int), make(chan chan int)

func init() {
	go func() {
		for range time.Tick(5 * time.Millisecond) {
		}
	}()
	go func() {
		for c := range sleeper {
			time.Sleep(150 * time.Millisecond)
			c <- 1
		}
	}()
	go func() {
		for c := range setter {
			time.AfterFunc(150*time.Millisecond, func() { c <- 1 })
		}
	}()
}

func ask(c chan chan int) {
	own := make(chan int, 1)
	c <- own
	<-own
}

func TestSleeper(t *testing.T) { ask(sleeper) }

func TestSetter(t *testing.T) { ask(setter) }

func TestOwn(t *testing.T) {
	c := make(chan int)
	go func() { c <- 1 }()
	<-c
}
`)
	testReports(t, []string{"\t15 schedules of 3 tests"}, 0, "-schedules=5", "-explore-time=1m", ".")
	testReports(t, []string{"; not complete: a goroutine that a package has started may act at any time\n"}, 0, "-v", "-exhaustive", "-run=TestOwn", ".")
	// A real deadlock is found, with the remark that such a goroutine may still act.
	testFile(t, `package x

import (
	"testing"
	"time"
)

func init() {
	go func() {
		for range time.Tick(5 * time.Millisecond) {
		}
	}()
	go time.Sleep(time.Hour)
}

func TestDead(t *testing.T) { <-make(chan int) }
`)
	testReports(t, []string{"nothing can wake it, unless a goroutine that a package has started does so later"}, 1, "-schedules=5", ".")
	t.Setenv("CGO_ENABLED", "1") // the race detector needs it
	testReports(t, []string{"waits to receive"}, 1, "-race", "-schedules=20", ".")
}

// A cycle of locks is a deadlock without doubt, unless a goroutine that a package has started was given one of them to unlock.
func TestTest_LockCycleOutside(t *testing.T) {
	testFile(t, `package x

import (
	"sync"
	"testing"
	"time"
)

var given = make(chan *sync.Mutex)

func init() {
	go func() {
		for range time.Tick(5 * time.Millisecond) {
		}
	}()
	go func() {
		for m := range given {
			time.Sleep(30 * time.Millisecond)
			m.Unlock()
		}
	}()
}

func TestDead(t *testing.T) {
	var a, b sync.Mutex
	var wg sync.WaitGroup
	wg.Go(func() { a.Lock(); b.Lock(); b.Unlock(); a.Unlock() })
	wg.Go(func() { b.Lock(); a.Lock(); a.Unlock(); b.Unlock() })
	wg.Wait()
}

var g sync.Mutex
var unlock = make(chan bool)

func init() {
	go func() {
		for range unlock {
			g.Unlock()
		}
	}()
}

func TestUnlocksLater(t *testing.T) {
	var b sync.Mutex
	b.Lock()
	g.Lock()
	go func() { g.Lock(); g.Unlock(); b.Unlock() }()
	unlock <- true
	b.Lock()
}

var later = make(chan *sync.Mutex)

func init() {
	go func() {
		for m := range later {
			time.AfterFunc(30*time.Millisecond, m.Unlock)
		}
	}()
}

// No goroutine acts for the test while the timer runs.
func TestGivenToTimer(t *testing.T) {
	var a, b sync.Mutex
	var wg sync.WaitGroup
	a.Lock()
	later <- &a
	wg.Go(func() { b.Lock(); a.Lock(); a.Unlock(); b.Unlock() })
	b.Lock()
	b.Unlock()
	wg.Wait()
}

func TestGiven(t *testing.T) {
	var a, b sync.Mutex
	var wg sync.WaitGroup
	a.Lock()
	given <- &a
	wg.Go(func() { b.Lock(); a.Lock(); a.Unlock(); b.Unlock() })
	b.Lock()
	b.Unlock()
	wg.Wait()
}
`)
	out, status := testCommand(t.Context(), "-schedules=20", "-v", ".")
	if status != 1 || strings.Contains(out, "not explored") || !strings.Contains(out, "nothing can wake them\n") || strings.Count(out, "--- FAIL") != 1 {
		t.Errorf("status %d:\n%s", status, out)
	}
}

// The clock of a run passes in real time while goroutines that a package has started act for the test. It does so, too, when a run with a
// finding is repeated, for those that the test has not woken.
func TestTest_RealTimeOutside(t *testing.T) {
	testFile(t, `package x

import (
	"os/exec"
	"sync"
	"testing"
	"time"
)

var (
	sleeper, process, limited = make(chan chan int), make(chan chan int), make(chan chan int)
	slots                     = make(chan int, 2)
)

var (
	mu    sync.Mutex
	batch []chan int
)

func init() {
	go func() {
		for c := range sleeper {
			time.Sleep(300 * time.Millisecond)
			c <- 1
		}
	}()
	go func() {
		for c := range process {
			go func() {
				exec.Command("sleep", "0.3").Run()
				c <- 1
			}()
		}
	}()
	go func() {
		for range time.Tick(200 * time.Millisecond) {
			mu.Lock()
			for _, c := range batch {
				c <- 1
			}
			batch = nil
			mu.Unlock()
		}
	}()
	go func() {
		for c := range limited {
			c <- 1
			time.Sleep(8 * time.Second)
		}
	}()
	go func() {
		for {
			slots <- 1
			<-slots
			time.Sleep(time.Millisecond)
		}
	}()
}

func await(t *testing.T, c chan int) {
	select {
	case <-c:
	case <-time.After(4 * time.Second):
		t.Error("timeout")
	}
}

func ask(c chan chan int) chan int {
	own := make(chan int, 1)
	c <- own
	return own
}

func TestSleeper(t *testing.T) { await(t, ask(sleeper)) }

func TestProcess(t *testing.T) { await(t, ask(process)) }

func TestProcessAlone(t *testing.T) { <-ask(process) }

func TestPolls(t *testing.T) {
	c := ask(sleeper)
	for range 100 {
		time.Sleep(40 * time.Millisecond)
		if len(c) > 0 {
			return
		}
	}
	t.Error("no answer")
}

func TestTooShort(t *testing.T) {
	select {
	case <-ask(sleeper):
		t.Error("answered early")
	case <-time.After(200 * time.Millisecond):
	}
}

func TestBatch(t *testing.T) {
	c := make(chan int, 1)
	mu.Lock()
	batch = append(batch, c)
	mu.Unlock()
	await(t, c)
}

// The goroutine that this test wakes goes on to sleep.
func TestSlots(t *testing.T) {
	slots <- 1
	slots <- 1
	time.Sleep(10 * time.Second)
	<-slots
	<-slots
}

func TestZLimited(t *testing.T) { <-ask(limited) }
`)
	testReports(t, []string{"\t16 schedules of 8 tests"}, 0, // runs of TestZLimited begin with the initialization of the package
		"-schedules=2", "-explore-time=1m", ".")
	// A finding beside other goroutines of a package remains.
	testFile(t, `package x

import (
	"testing"
	"time"
)

func init() {
	go func() {
		for range time.Tick(10 * time.Millisecond) {
		}
	}()
	go func() {
		for {
			time.Sleep(30 * time.Second)
		}
	}()
}

func TestLost(t *testing.T) {
	c := make(chan int)
	go func() {
		select {
		case c <- 1:
		default:
		}
	}()
	select {
	case <-c:
	case <-time.After(time.Minute):
		t.Error("lost")
	}
}
`)
	testReports(t, []string{"lost\n", "the goroutine that a package has started at x_test.go:1", " waits in real time, and may act before that"}, 1, "-schedules=20", ".")
}

// A run that waits for a file which is never ready is a deadlock, also near -timeout. While goroutines wait for files, time passes to their
// deadlines and to the timers of the others.
func TestTest_Pipes(t *testing.T) {
	testFile(t, `package x

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
	"testing"
	"time"
)

func pipe(t *testing.T) (r, w *os.File) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

func TestOpen(t *testing.T) {
	r, w := pipe(t)
	defer r.Close()
	defer w.Close()
	var x atomic.Int32
	go x.Store(1)
	if x.Load() == 0 {
		w.Close()
	}
	io.ReadAll(r)
}

func TestSleep(t *testing.T) {
	r, w := pipe(t)
	defer r.Close()
	go func() {
		time.Sleep(time.Hour)
		w.Write([]byte("x"))
		w.Close()
	}()
	if b, err := io.ReadAll(r); string(b) != "x" || err != nil {
		t.Error(b, err)
	}
}

func TestDeadline(t *testing.T) {
	r, w := pipe(t)
	defer r.Close()
	defer w.Close()
	r.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
	if _, err := io.ReadAll(r); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error(err)
	}
}

func TestFull(t *testing.T) {
	r, w := pipe(t)
	defer r.Close()
	go func() {
		w.Write(make([]byte, 1<<20))
		w.Close()
	}()
	if b, err := io.ReadAll(r); len(b) != 1<<20 || err != nil {
		t.Error(len(b), err)
	}
}

func TestClose(t *testing.T) {
	r, w := pipe(t)
	defer w.Close()
	go r.Close()
	io.ReadAll(r)
}

func TestLeft(t *testing.T) {
	r, _ := pipe(t)
	go io.ReadAll(r)
}
`)
	testReports(t, []string{"macemc: DEADLOCK: 1 goroutine is blocked and nothing can wake it, unless another process uses a file that they share\n" +
		"      goroutine 1 waits for a file at x_test.go:29 in TestOpen\n", "-schedule testdata/macemc/TestOpen/deadlock-1.path",
		"--- PASS: TestSleep", "--- PASS: TestDeadline", "--- PASS: TestFull", "--- PASS: TestClose", "--- PASS: TestLeft"},
		1, "-v", "-schedules=20", "-timeout=20s", ".")
}
