package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// A weak pointer leads to an object that a blocked goroutine references.
func TestTest_WeakPointers(t *testing.T) {
	testFile(t, `package x

import (
	"testing"
	"time"
	"weak"
)

type released struct{ c chan int }

func tick() {
	for range time.Tick(time.Second) {
	}
}

func TestReleased(t *testing.T) {
	x := &released{make(chan int)}
	w := weak.Make(x)
	time.AfterFunc(24*time.Hour, func() {
		if x := w.Value(); x != nil {
			close(x.c)
		}
	})
	go func() {
		<-x.c
		x.c = nil
	}()
	go tick()
}

func TestLeak(t *testing.T) {
	x := &released{make(chan int)}
	w := weak.Make(x)
	if w.Value() == nil {
		t.Error("no value")
	}
	go func() {
		<-x.c
		x.c = nil
	}()
	go tick()
}
`)
	out, status := testCommand(t.Context(), "-count=1", "-schedules=20", "-explore-time=1m", "-v", ".")
	if !strings.Contains(out, "--- PASS: TestReleased") || !strings.Contains(out, "--- FAIL: TestLeak") || status != 1 {
		t.Errorf("status %d:\n%s", status, out)
	}
}

// What libraries do: a test that takes long is not taken for one without end, and finalizers use channels of a test that has ended.
func TestTest_LongAndFinalizers(t *testing.T) {
	testFile(t, `package x

import (
	"runtime"
	"sync"
	"testing"
)

func TestLong(t *testing.T) {
	var mu sync.Mutex
	for range 300_000 {
		mu.Lock()
		mu.Unlock()
	}
}

func TestLonger(t *testing.T) {
	var mu sync.Mutex
	for range 3_000_000 {
		mu.Lock()
		mu.Unlock()
	}
}

// A goroutine that is busy after the end of the test does not prevent it.
func TestBusy(t *testing.T) {
	go func() {
		var mu sync.Mutex
		for {
			mu.Lock()
			mu.Unlock()
		}
	}()
}

// It goes on for a while.
func busy(points int) {
	var mu sync.Mutex
	for range points / 2 {
		mu.Lock()
		mu.Unlock()
	}
	panic("late")
}

func TestPanicsLate(t *testing.T) { go busy(15_000) }

func TestPanicsTooLate(t *testing.T) { go busy(25_000) }

type stopped struct{ stop chan bool }

func TestFinalizers(t *testing.T) {
	for range 3 {
		runtime.SetFinalizer(&stopped{make(chan bool, 1)}, func(s *stopped) { s.stop <- true })
	}
	runtime.GC()
}
`)
	testReports(t, []string{"--- PASS: TestLong", "TestLonger: not explored: it passes more than 5000000 scheduling points in a run\n",
		"--- PASS: TestBusy", "TestBusy: left after the test has returned: goroutine 2 ",
		"TestPanicsTooLate: left after the test has returned: goroutine 2 ", "PANIC: late\n", "--- FAIL: TestPanicsLate", "--- PASS: TestPanicsTooLate", "--- PASS: TestFinalizers"}, 1, "-count=1", "-v", "-vet=off", "-schedules=5", ".")
}

// Variables that are not used any more, stopped timers, and timers that concern other goroutines do not make what a goroutine waits for
// reachable.
func TestTest_DeadReferences(t *testing.T) {
	testFile(t, `package x

import (
	"runtime"
	"sync"
	"testing"
	"time"
	"weak"
)

var stop = make(chan bool)

//go:noinline
func use(c chan int) {}

func keep(c chan int) {
	runtime.Gosched() // c is saved on the stack
	use(c)
	<-stop
}

func TestDead(t *testing.T) {
	c := make(chan int)
	go func() { <-c }()
	go keep(c)
}

// The goroutine that sleeps references another channel.
func TestSleeper(t *testing.T) {
	c, other := make(chan int), make(chan int)
	go func() { <-c }()
	go func() {
		for ; len(other) == 0; {
			time.Sleep(time.Second)
		}
	}()
}

func TestTicker(t *testing.T) {
	c := make(chan int)
	go func() { <-c }()
	go func() {
		for range time.Tick(time.Second) {
		}
	}()
}

// release releases a goroutine that waits for a channel, long after the test has returned.
func release(t *testing.T, every func(tick func())) {
	c, n := make(chan int), 0
	go func() { <-c }()
	every(func() {
		if n++; n == 1000 {
			c <- 1
		}
	})
}

func TestOKSleeper(t *testing.T) {
	release(t, func(tick func()) {
		go func() {
			for ; ; tick() {
				time.Sleep(time.Second)
			}
		}()
	})
}

func TestOKTicker(t *testing.T) {
	release(t, func(tick func()) {
		ticker := time.NewTicker(time.Second)
		go func() {
			for range ticker.C {
				tick()
			}
		}()
	})
}

func TestOKTimer(t *testing.T) {
	release(t, func(tick func()) {
		var again func()
		again = func() {
			tick()
			time.AfterFunc(time.Second, again)
		}
		again()
	})
}

func keepPointer(c chan int) {
	p := &struct{ c chan int }{c}
	<-stop
	use(p.c)
}

func TestOKPointer(t *testing.T) {
	c := make(chan int)
	go func() { <-c }()
	go keepPointer(c)
}

// Collections would change addresses.
func TestOKMemory(t *testing.T) {
	pointer := weak.Make(new([128]int))
	for range 50_000 {
		kept = new([128]int)
		runtime.Gosched()
	}
	if pointer.Value() == nil {
		t.Error("memory was collected")
	}
}

var kept *[128]int

func TestTimer(t *testing.T) {
	var mu sync.Mutex
	mu.Lock()
	go mu.Lock()
	time.AfterFunc(time.Hour, mu.Unlock).Stop()
	for other := new(sync.Mutex); ; other.Unlock() {
		other.Lock()
	}
}
`)
	const leak = "    macemc: LEAK: 1 goroutine is blocked and nothing can wake it"
	want := []string{"=== RUN   TestDead\n" + leak, "=== RUN   TestSleeper\n" + leak, "=== RUN   TestTicker\n" + leak,
		"--- PASS: TestOKPointer", "--- PASS: TestOKSleeper", "--- PASS: TestOKTicker", "--- PASS: TestOKTimer"}
	testReports(t, want, 1, "-count=1", "-v", "-vet=off", "-schedules=3", "-run=Dead|Sleeper|Ticker|OKPointer|OKTimer", ".")
	for test, want := range map[string]string{"TestTimer": leak, "TestOKMemory": "--- PASS: TestOKMemory"} {
		text := fmt.Sprintf("macemc schedule 1\npackage example.org/x\ntest %s\nfinding LEAK\nseed 1\nmemory false\nwarm false\nend 0\n", test)
		if err := os.WriteFile("x.path", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		status := 1
		if test == "TestOKMemory" {
			status = 0
		}
		testReports(t, []string{want}, status, "-v", "-run=^"+test+"$", "-schedule=x.path", ".")
	}
}

// A run finds large variables as they were, whether runs write the same pages, others each time, or many at once, also after collections.
func TestTest_LargeVariables(t *testing.T) {
	testFile(t, `package x

import (
	"math/rand/v2"
	"os"
	"testing"
)

const size = 1 << 19

var (
	table   [size]byte
	buffer  = make([]byte, size)
	named   [size / 8]*int
	objects = func() (list []*[100]int) {
		for range 2000 {
			list = append(list, new([100]int))
		}
		return list
	}()
	small = func() (list []*[3]int) {
		for i := range 6000 {
			if o := new([3]int); i%3 > 0 {
				list = append(list, o)
			}
		}
		return list
	}()
)

var garbage []byte

func changed() any {
	for i := range size {
		if table[i] != 0 || buffer[i] != 0 || named[i/8] != nil {
			return i
		}
	}
	for _, o := range objects {
		if *o != [100]int{} {
			return o
		}
	}
	for _, o := range small {
		if *o != [3]int{} {
			return o
		}
	}
	return nil
}

func TestChanges(t *testing.T) {
	if at := changed(); at != nil {
		t.Fatal(at)
	}
	table[100]++
	table[rand.IntN(size)]++
	named[rand.IntN(len(named))] = new(int)
	objects[rand.IntN(len(objects))][rand.IntN(100)]++
	small[rand.IntN(len(small))][rand.IntN(3)]++
	if rand.IntN(5) == 0 { // collections follow
		for range 4000 {
			garbage = make([]byte, 1<<12)
		}
	}
	if rand.IntN(10) == 0 {
		for i := range buffer {
			buffer[i]++
		}
	}
	f, err := os.Open("x_test.go")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	at := rand.IntN(size - 8)
	if _, err := f.Read(buffer[at : at+8]); err != nil { // the system writes
		t.Fatal(err)
	}
}
`)
	testReports(t, []string{"201 schedules, no finding"}, 0, "-count=1", "-v", "-explore-time=10m", ".")
}
