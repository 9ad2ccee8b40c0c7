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

// cycles are programs with a cycle that contains another wait than for a lock. NEED is the lock that the other goroutine needs, mu or another
// one, LATE is a number of critical sections before, and ENDS makes a goroutine wait only after it has unlocked mu.
var cycles = map[string]string{
	"wait group": `
	var mu, gate, other sync.Mutex
	var wg sync.WaitGroup
	started := make(chan bool, 1)
	wg.Go(func() {
		started <- true
		NEED.Lock()
		NEED.Unlock()
	})
	<-started
	for range LATE {
		gate.Lock()
		gate.Unlock()
	}
	mu.Lock()
	wg.Wait()
	mu.Unlock()
	_ = &other
`,
	"select": `
	var mu, gate, other sync.Mutex
	quit, work, done := make(chan bool), make(chan int), make(chan bool)
	go func() {
		defer close(done)
		for {
			select {
			case <-quit:
				return
			case <-work:
				NEED.Lock()
				NEED.Unlock()
			}
		}
	}()
	work <- 1
	gosched()
	for range LATE {
		gate.Lock()
		gate.Unlock()
	}
	mu.Lock()
	close(quit)
	<-done
	mu.Unlock()
	_ = &other
`,
	"connection": `
	var mu, turn, gate, other sync.Mutex
	go func() {
		for buf := make([]byte, 1); ; {
			if _, err := b.Read(buf); err != nil {
				return
			}
			if buf[0] == 'm' {
				NEED.Lock()
				NEED.Unlock()
			}
			b.Write(buf)
		}
	}()
	ask := func(s string) {
		turn.Lock()
		a.Write([]byte(s))
		a.Read(make([]byte, 1))
		turn.Unlock()
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		mu.Lock()
		ask("x")
		mu.Unlock()
	})
	wg.Go(func() {
		for range LATE {
			gate.Lock()
			gate.Unlock()
		}
		ask("m")
	})
	wg.Wait()
	a.Close()
	b.Close()
	_ = &other
`,
	"server": `
	var mu, gate, other sync.Mutex
	slot := make(chan bool, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		slot <- true
		if r.URL.Path == "/m" {
			NEED.Lock()
			NEED.Unlock()
		}
		<-slot
	}))
	defer srv.Close()
	get := func(path string) {
		if resp, err := http.Get(srv.URL + path); err != nil {
			t.Error(err)
		} else {
			resp.Body.Close()
		}
	}
	get("/")
	done := make(chan bool)
	go func() {
		get("/m")
		close(done)
	}()
	<-time.After(time.Microsecond)
	for range LATE {
		gate.Lock()
		gate.Unlock()
	}
	mu.Lock()
	get("/x")
	mu.Unlock()
	<-done
	_ = &other
`,
	"rare path": `
	var mu, gate, other sync.Mutex
	var n atomic.Int32
	var wg sync.WaitGroup
	wg.Go(func() {
		if n.Load() == 1 {
			other.Lock()
			NEED.Lock()
			NEED.Unlock()
			other.Unlock()
		}
	})
	wg.Go(func() {
		n.Store(1)
		for range LATE {
			gate.Lock()
			gate.Unlock()
		}
		mu.Lock()
		other.Lock()
		other.Unlock()
		mu.Unlock()
	})
	wg.Wait()
`,
	"writers": `
	var mu, other, gate sync.RWMutex
	nested := func(first, second *sync.RWMutex) {
		first.RLock()
		second.RLock()
		second.RUnlock()
		first.RUnlock()
	}
	var wg sync.WaitGroup
	for _, lock := range []*sync.RWMutex{&NEED, &other} {
		wg.Go(func() {
			lock.Lock()
			lock.Unlock()
		})
	}
	for i := range 2 {
		wg.Go(func() {
			for range LATE {
				gate.Lock()
				gate.Unlock()
			}
			if i == 0 {
				nested(&mu, &other)
			} else {
				nested(&other, &mu)
			}
		})
	}
	wg.Wait()
`,
}

// waits describes a program of cycles.
type waits struct {
	name, setup string
	late        int
	right       bool // without a cycle
}

func (w waits) String() string {
	need := "mu"
	if w.right {
		need = map[bool]string{false: "other", true: "gate"}[w.name == "rare path" || w.name == "writers"]
	}
	return w.setup + strings.NewReplacer("NEED", need, "LATE", strconv.Itoa(w.late)).Replace(cycles[w.name])
}

// One passing run predicts each cycle, and no right program has a finding.
func TestTest_Predicted(t *testing.T) {
	const pipe, tcp = "\ta, b := net.Pipe()\n", "\ta, b := dial(t)\n"
	findWithin(t, []predictedProgram{
		{variant{locks: 2}, 5}, {variant{locks: 3}, 5}, {variant{locks: 5}, 5}, {variant{locks: 10}, 5}, {variant{locks: 16}, 5},
		{variant{locks: 2, others: 5}, 5}, {variant{locks: 3, others: 15}, 5}, {variant{locks: 2, before: 1}, 5},
		{variant{locks: 3, before: 2}, 5}, {variant{locks: 5, before: 1, others: 2}, 5}, {variant{locks: 2, late: 3}, 5},
		{variant{locks: 2, late: 30, others: 4}, 5}, {variant{locks: 3, late: 10, before: 1}, 5}, {variant{locks: 2, readers: true}, 5},
		{variant{locks: 4, readers: true}, 5}, {variant{locks: 2, guard: "lock"}, 0}, {variant{locks: 3, guard: "channel"}, 0},
		{variant{locks: 5, guard: "order"}, 0}, {variant{locks: 3, guard: "lock", before: 2}, 0},
		{variant{locks: 2, guard: "order", others: 4, readers: true}, 0},
		{waits{name: "wait group"}, 5}, {waits{name: "wait group", late: 40}, 5}, {waits{name: "wait group", right: true}, 0},
		{waits{name: "select"}, 5}, {waits{name: "select", late: 40}, 5}, {waits{name: "select", right: true}, 0},
		{waits{name: "connection", setup: pipe}, 5}, {waits{name: "connection", setup: pipe, late: 40}, 5},
		{waits{name: "connection", setup: pipe, right: true}, 0}, {waits{name: "connection", setup: tcp}, 5},
		{waits{name: "connection", setup: tcp, late: 40}, 5}, {waits{name: "connection", setup: tcp, right: true}, 0},
		{waits{name: "server"}, 6}, {waits{name: "server", late: 40}, 6}, {waits{name: "server", right: true}, 0},
		{waits{name: "rare path"}, 6}, {waits{name: "rare path", late: 40}, 6}, {waits{name: "rare path", right: true}, 0},
		{waits{name: "writers"}, 6}, {waits{name: "writers", late: 40}, 6}, {waits{name: "writers", right: true}, 0},
	})
}

// Predictions from the record of a run with -race have the events of connections, too.
func TestTest_PredictedRace(t *testing.T) {
	const tcp = "\ta, b := dial(t)\n"
	t.Setenv("CGO_ENABLED", "1")
	findWithin(t, []predictedProgram{
		{variant{locks: 3}, 5}, {variant{locks: 3, guard: "lock"}, 0},
		{waits{name: "connection", setup: tcp}, 5}, {waits{name: "connection", setup: tcp, late: 40}, 5},
		{waits{name: "connection", setup: tcp, right: true}, 0}, {waits{name: "server"}, 6}, {waits{name: "server", right: true}, 0},
		{waits{name: "rare path"}, 6}, {waits{name: "rare path", right: true}, 0},
	}, "-race")
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
	for seed := range 5 {
		out, status := testCommand(t.Context(), "-v", "-count=1", "-vet=off", "-schedules=300", "-explore-seed="+strconv.Itoa(seed+1), ".")
		reportsDelays(t, out, status)
		if err := os.RemoveAll("testdata"); err != nil {
			t.Fatal(err)
		}
	}
}

// reportsDelays reports findings and notes of TestTest_PredictedDelays that its output lacks.
func reportsDelays(t *testing.T, out string, status int) {
	t.Helper()
	for _, m := range regexp.MustCompile(`found by schedule (\d+)`).FindAllStringSubmatch(out, -1) {
		if found, _ := strconv.Atoi(m[1]); found > 80 {
			t.Errorf("found by schedule %d", found)
		}
	}
	for _, want := range []string{"LEAK: 1 goroutine is blocked", " TestContext: PANIC: expired, if a goroutine is held for 30ms where it ",
		" TestLate: LEAK: 1 goroutine is blocked and nothing can wake it, after the test has returned, if a goroutine is held for 1s where it ",
		"PANIC: send on closed channel\n",
		" TestSleep: fails if a goroutine is held for 50ms where it accesses atomic at x_test.go:46: x_test.go:49: not stored\n"} {
		if !strings.Contains(out, want) || status != 1 {
			t.Errorf("status %d, %q is missing:\n%s", status, want, out)
		}
	}
	if regexp.MustCompile(`(TestRight|TestWatchdog): |FAIL: Test(Right|Watchdog|Context|Late|Sleep)`).MatchString(out) {
		t.Errorf("another finding:\n%s", out)
	}
}
