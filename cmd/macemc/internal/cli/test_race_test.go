package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// A data race before a panic is found, although the panic would not recur in a run that waits for goroutines outside the test.
func TestTest_RaceBeforePanic(t *testing.T) {
	testFile(t, `package x

import (
	"sync"
	"testing"
	"time"
)

var (
	mu      sync.Mutex
	waiting chan int
)

func init() {
	go func() {
		for range time.Tick(3 * time.Second) {
			mu.Lock()
			if waiting != nil {
				waiting <- 1
			}
			waiting = nil
			mu.Unlock()
		}
	}()
}

func TestLate(t *testing.T) {
	c, n := make(chan int, 1), 0
	mu.Lock()
	waiting = c
	mu.Unlock()
	select {
	case <-c:
	case <-time.After(4 * time.Second):
		go func() { n++ }()
		n++
		time.Sleep(time.Second)
		panic("late")
	}
}
`)
	t.Setenv("CGO_ENABLED", "1") // the race detector needs it
	testReports(t, []string{"PANIC: late\n", "data race"}, 1, "-race", "-schedules=3", "-explore-time=1m", ".")
}

// With the race detector, methods of atomic types are scheduling points, synctest.Wait orders what it waits for, accesses of memory do
// not take so much time that connections time out, and stacks that move cause no race. Neither a panic nor a timer hides a race, and the
// printed command replays a race from the folder of the user.
func TestTest_Race(t *testing.T) {
	t.Setenv("CGO_ENABLED", "1") // the race detector needs it
	testFile(t, `package x

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func twice(f func()) {
	var wg sync.WaitGroup
	wg.Go(f)
	wg.Go(f)
	wg.Wait()
}

func TestInt32(t *testing.T) {
	var n atomic.Int32
	if twice(func() { n.Store(n.Load() + 1) }); n.Load() != 2 {
		t.Error(n.Load())
	}
}

func TestPointer(t *testing.T) {
	var p atomic.Pointer[int]
	var stored atomic.Int64
	twice(func() {
		if p.Load() == nil {
			p.Store(new(int))
			stored.Add(1)
		}
	})
	if stored.Load() != 1 {
		t.Error(stored.Load())
	}
}

func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		done := false
		go func() {
			time.Sleep(time.Minute)
			done = true
		}()
		time.Sleep(2 * time.Minute)
		if synctest.Wait(); !done {
			t.Error("not done")
		}
	})
}

func TestStack(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 5 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_ = fmt.Sprintf("v1.%d", i)
		}()
	}
	wg.Wait()
}

func TestTimers(t *testing.T) { // the detector has room for 8128 threads
	twice(func() {
		for range 30 {
			<-time.After(time.Microsecond)
		}
	})
}

var shared int

func TestSubtests(t *testing.T) {
	for i := range 3 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			shared = i
		})
	}
}

func TestAfter(t *testing.T) {
	n := 0
	go func() {
		n++
		<-time.After(time.Millisecond)
	}()
	<-time.After(time.Second)
	n++
}

func TestRacePanic(t *testing.T) {
	n := 0
	go func() { n++ }()
	n++
	time.Sleep(time.Millisecond)
	var c chan int
	close(c)
}

func TestWaitGroup(t *testing.T) {
	var wg sync.WaitGroup
	done := make(chan bool)
	go func() {
		add(&wg)
		close(done)
	}()
	wait(&wg)
	<-done
}

//go:noinline
func add(wg *sync.WaitGroup) {
	wg.Add(1)
	wg.Done()
}

//go:noinline
func wait(wg *sync.WaitGroup) { wg.Wait() }

// A pool orders what precedes Put before what follows Get.
func TestPool(t *testing.T) {
	var pool sync.Pool
	twice(func() {
		n, ok := pool.Get().(*int)
		if !ok {
			n = new(int)
		}
		*n++
		pool.Put(n)
	})
}

// A client dials until another goroutine listens.
func TestDial(t *testing.T) {
	const at = "127.0.0.1:7001"
	up := make(chan bool)
	go func() {
		time.Sleep(time.Millisecond)
		l, err := net.Listen("tcp", at)
		if err != nil {
			t.Error(err)
			return
		}
		close(up)
		c, _ := l.Accept()
		c.Close()
		l.Close()
	}()
	for {
		if c, err := net.Dial("tcp", at); err == nil {
			c.Close()
			break
		}
		time.Sleep(time.Millisecond)
	}
	<-up
}

func TestLocal(t *testing.T) {
	defer func(l *time.Location) { time.Local = l }(time.Local)
	time.Local = time.FixedZone("", 3600)
	time.Sleep(time.Second)
	twice(func() {})
}

func TestHTTP(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer srv.Close()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			resp, err := http.Post(srv.URL, "text/plain", http.NoBody)
			if err != nil {
				t.Error(err)
				return
			}
			resp.Body.Close()
		})
	}
	wg.Wait()
}
`)
	if err := os.Mkdir("sub", 0o755); err != nil {
		t.Fatal(err)
	}
	sub := "package sub\n\nimport \"testing\"\n\nfunc TestSub(t *testing.T) {\n\tn := 0\n\tgo func() { n++ }()\n\tn++\n}\n"
	if err := os.WriteFile("sub/sub_test.go", []byte(sub), 0o600); err != nil {
		t.Fatal(err)
	}
	out, status := testCommand(t.Context(), "-count=1", "-v", "-race", "-schedules=300", "-explore-time=1m", "./...")
	for _, want := range []string{
		"--- FAIL: TestInt32", "--- FAIL: TestPointer", "--- PASS: TestWait", "--- PASS: TestHTTP", "--- PASS: TestDial", "--- PASS: TestStack", "--- PASS: TestPool",
		"--- PASS: TestTimers", "--- PASS: TestLocal", `DATA RACE.*\n.* at x_test.go:\d+ in x.TestAfter\b`,
		`replay: macemc test -race -run '\^TestSubtests\$'`,
		`PANIC: close of nil channel\n.*\n\s+in goroutine \d+\n\s+and a data race:\n\s+(read|write) at x_test.go:`,
		`(?s)DATA RACE[^\n]*\n\s+write in WaitGroup.Wait at x_test.go:\d+ in x.wait\n\s+called at x_test.go:\d+ in x.TestWaitGroup\n.*--- FAIL: TestWaitGroup `,
		`--- FAIL: TestSub `,
	} {
		if status != 1 || !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("status %d, %q is missing:\n%s", status, want, out)
		}
	}
	if strings.Contains(out, "<autogenerated>") {
		t.Errorf("a race has no place in the code:\n%s", out)
	}
	replay := regexp.MustCompile(`replay: macemc test (-race) -run '(\^TestSub\$)' -schedule (sub/\S+) (\S+/sub)\n`).FindStringSubmatch(out)
	if replay == nil {
		t.Fatalf("no command replays the race of the other folder:\n%s", out)
	}
	if again, status := testCommand(t.Context(), replay[1], "-run", replay[2], "-schedule", replay[3], replay[4]); status != 1 ||
		!strings.Contains(again, "DATA RACE") {
		t.Errorf("%s: status %d\n%s", replay[0], status, again)
	}
}

// No step of a race is called critical, although a mutex hides it in some runs: its two accesses suffice. A race is a finding also if only
// the first run of a test passes.
func TestTest_RaceCritical(t *testing.T) {
	t.Setenv("CGO_ENABLED", "1") // the race detector needs it
	testFile(t, `package x

import (
	"os"
	"sync"
	"testing"
)

func TestHidden(t *testing.T) {
	var mu sync.Mutex
	x, done := 0, make(chan bool)
	go func() {
		x = 1
		mu.Lock()
		mu.Unlock()
		close(done)
	}()
	mu.Lock()
	mu.Unlock()
	_ = x
	<-done
}

func TestFirst(t *testing.T) {
	x, done := 0, make(chan bool)
	go func() { x = 1; close(done) }()
	x = 2
	<-done
	_ = x
}

func TestLater(t *testing.T) {
	if f, err := os.OpenFile("left", os.O_CREATE|os.O_EXCL, 0o600); err == nil {
		f.Close()
		return
	}
	TestFirst(t)
}

func TestSubtests(t *testing.T) {
	x := 0
	for range 2 {
		t.Run("a", func(t *testing.T) { t.Parallel(); x++ })
	}
}
`)
	out, status := testCommand(t.Context(), "-race", "-explore-time=1m", ".")
	later := regexp.MustCompile(`--- FAIL: TestLater .*\n(.*\n)?    macemc: DATA RACE`)
	if status != 1 || !strings.Contains(out, "1 switch more than the default order, a preemption\n") || strings.Contains(out, "critical step") ||
		!later.MatchString(out) {
		t.Errorf("status %d:\n%s", status, out)
	}
	stdout, stderr, status := run(t, "mdb", "testdata/macemc/TestHidden/data-race-1.path", "--batch", "-x", "critical")
	const want = "a data race has no critical step: its two accesses suffice; the report names this step first\n"
	if status != 0 || !regexp.MustCompile(want+`main step \d+ of \d+: g2 writes .*x_test.go:13`).MatchString(stdout) {
		t.Errorf("status %d, got\n%s%s", status, stdout, stderr)
	}
}
