package cli

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// variant is a test with a cycle of locks. Its goroutine number i locks numbers i and i+1.
type variant struct {
	locks   int
	others  int    // further goroutines, which lock one lock at a time
	late    int    // critical sections of the first goroutine before that, which the others do not have
	before  int    // critical sections of each goroutine before the nested one
	readers bool   // the inner locks are read locks
	guard   string // that excludes the cycle: a lock, a channel or an order; empty means none
}

func (v variant) String() string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	p("	var gate sync.Mutex\n	var locks [%d]sync.RWMutex\n	var wg sync.WaitGroup\n	turn := make(chan int, 1)\n	turn <- 0\n", v.locks)
	p("	for i := range %d {\n		wg.Go(func() {\n", v.locks+v.others)
	p("			for range %d {\n				locks[i%%%d].Lock()\n				locks[i%%%[2]d].Unlock()\n			}\n", v.before, v.locks)
	p("			first, second := i, (i+1)%%%d\n			if i >= %[1]d {\n				return\n			}\n", v.locks)
	if v.late > 0 {
		p("			for range %d * max(0, 1-i) {\n				gate.Lock()\n				gate.Unlock()\n			}\n", v.late)
	}
	switch v.guard {
	case "lock":
		p("			gate.Lock()\n			defer gate.Unlock()\n")
	case "channel":
		p("			<-turn\n			defer func() { turn <- 0 }()\n")
	case "order":
		p("			first, second = min(first, second), max(first, second)\n")
	}
	inner := [2]string{"Lock", "Unlock"}
	if v.readers {
		inner = [2]string{"RLock", "RUnlock"}
	}
	p("			locks[first].Lock()\n			defer locks[first].Unlock()\n			locks[second].%s()\n			defer locks[second].%s()\n", inner[0], inner[1])
	p("		})\n	}\n	wg.Wait()\n	_ = &gate\n")
	return b.String()
}

// One passing run predicts each cycle, and no guarded program has a finding.
func TestTest_Predicted(t *testing.T) {
	variants := []variant{
		{locks: 2}, {locks: 3}, {locks: 5}, {locks: 10}, {locks: 16},
		{locks: 2, others: 5}, {locks: 3, others: 15}, {locks: 2, before: 1}, {locks: 3, before: 2}, {locks: 5, before: 1, others: 2},
		{locks: 2, late: 3}, {locks: 2, late: 30, others: 4}, {locks: 3, late: 10, before: 1},
		{locks: 2, readers: true}, {locks: 4, readers: true},
		{locks: 2, guard: "lock"}, {locks: 3, guard: "channel"}, {locks: 5, guard: "order"}, {locks: 3, guard: "lock", before: 2},
		{locks: 2, guard: "order", others: 4, readers: true},
	}
	text := "package x\n\nimport (\n	\"sync\"\n	\"testing\"\n)\n"
	for i, v := range variants {
		text += fmt.Sprintf("\nfunc TestVariant%d(t *testing.T) {\n%v}\n", i, v)
	}
	testFile(t, text)
	for seed := range 2 {
		out, _ := testCommand(t.Context(), "-count=1", "-vet=off", "-schedules=20", "-explore-seed="+strconv.Itoa(seed+1), ".")
		for i, v := range variants {
			m := regexp.MustCompile(fmt.Sprintf(`(?s)--- FAIL: TestVariant%d .*?found by schedule (\d+) `, i)).FindStringSubmatch(out)
			switch {
			case m == nil && v.guard == "":
				t.Errorf("seed %d: the cycle of %+v is not found", seed+1, v)
			case m != nil && v.guard != "":
				t.Errorf("seed %d: %+v has a finding", seed+1, v)
			case m != nil:
				if n, _ := strconv.Atoi(m[1]); n > 5 {
					t.Errorf("seed %d: the cycle of %+v is found by schedule %d", seed+1, v, n)
				}
			}
		}
		if t.Failed() {
			t.Log(out)
		}
		if err := os.RemoveAll("testdata"); err != nil {
			t.Fatal(err)
		}
	}
}

// A goroutine is held until a timer has fired. A test that only fails then, or has another finding after a long delay, has a note.
func TestTest_PredictedDelays(t *testing.T) {
	testFile(t, `package x

import (
	"context"
	"sync/atomic"
	"testing"
	"time"
)

func await(c chan int) {
	select {
	case <-c:
	case <-time.After(20 * time.Millisecond):
	}
}

func TestTimeout(t *testing.T) {
	c := make(chan int)
	go func() { c <- 1 }()
	await(c)
}

func TestContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	done := make(chan bool)
	go func() {
		<-ctx.Done()
		if ctx.Err() == context.DeadlineExceeded {
			panic("expired")
		}
		close(done)
	}()
	cancel()
	<-done
}

func TestStop(t *testing.T) {
	c := make(chan int, 1)
	timer := time.AfterFunc(20*time.Millisecond, func() { close(c) })
	timer.Stop()
	c <- 1
}

func TestSleep(t *testing.T) {
	var n atomic.Int32
	go func() { n.Store(1) }()
	time.Sleep(50 * time.Millisecond)
	if n.Load() != 1 {
		t.Error("not stored")
	}
}

func TestLate(t *testing.T) {
	c := make(chan int)
	go func() { c <- 1 }()
	select {
	case <-c:
	case <-time.After(time.Second):
	}
}

func TestWatchdog(t *testing.T) {
	watchdog := time.AfterFunc(2*time.Second, func() { panic("the test hangs") })
	defer watchdog.Stop()
	c := make(chan int)
	go func() { c <- 1 }()
	<-c
}

func TestRight(t *testing.T) {
	c := make(chan int, 1)
	go func() { c <- 1 }()
	await(c)
}
`)
	out, status := testCommand(t.Context(), "-count=1", "-vet=off", "-schedules=300", ".")
	for _, want := range []string{"LEAK: 1 goroutine is blocked", " TestContext: PANIC: expired, if a goroutine is held for 30ms where it ",
		" TestLate: LEAK: 1 goroutine is blocked and nothing can wake it, after the test has returned, if a goroutine is held for 1s where it ",
		"PANIC: send on closed channel\n",
		" TestSleep: fails if a goroutine is held for 50ms where it accesses atomic at x_test.go:46: x_test.go:49: not stored\n"} {
		if !strings.Contains(out, want) || status != 1 {
			t.Errorf("status %d, %q is missing:\n%s", status, want, out)
		}
	}
	if regexp.MustCompile(`TestRight|TestWatchdog|FAIL: Test(Context|Late|Sleep)`).MatchString(out) {
		t.Errorf("another finding:\n%s", out)
	}
}
