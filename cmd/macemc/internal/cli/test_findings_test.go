package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The first report of a finding describes the run that its replay shows, with the critical step, although package mime is initialized only
// once in a process.
func TestTest_ReplayedReport(t *testing.T) {
	testFile(t, `package x

import (
	"mime"
	"sync"
	"testing"
)

func TestX(t *testing.T) {
	var first sync.Once
	var wg sync.WaitGroup
	name, c := "", make(chan int)
	for _, n := range []string{"a", "b"} {
		wg.Go(func() { first.Do(func() { name = n }) })
	}
	wg.Wait()
	if name == "b" {
		mime.TypeByExtension(".b")
		wg.Go(func() { <-c })
		wg.Wait()
	}
}
`)
	report := func(args ...string) string {
		out, status := testCommand(t.Context(), args...)
		_, text, _ := strings.Cut(out, "macemc: DEADLOCK: ")
		text, _, found := strings.Cut(text, "\nFAIL\n")
		if status != 1 || !found {
			t.Fatalf("%q: status %d\n%s", args, status, out)
		}
		return regexp.MustCompile(`(found by|replayed from) [^;]*;|; the test passes without that`).ReplaceAllString(text, "")
	}
	found := report("-count=1", ".")
	if replayed := report("-schedule=last", "."); replayed != found || !strings.Contains(found, "critical step: ") {
		t.Errorf("found:\n%s\nreplayed:\n%s", found, replayed)
	}
}

// A switch applies after the end of a goroutine that the wall clock has preempted.
func TestTest_Preempted(t *testing.T) {
	testFile(t, `package x

import (
	"testing"
	"time"
)

var (
	order string
	sum   uint64
)

func spin() {
	for i := range uint64(60_000_000) {
		sum += i * i
	}
	order += "spin "
}

func TestX(t *testing.T) {
	go spin()
	go func() { order += "a " }()
	go func() { order += "b " }()
	time.Sleep(time.Second)
	if order == "spin b a " {
		t.Error(order)
	}
}
`)
	const schedule = "macemc schedule 1\npackage example.org/x\ntest TestX\nseed 1\n" +
		"switch 76bb4c4616f3508d after 1099511627776 to 37c3b99c854fb9f7\nend 1\n" // at the end of spin, in its first turn
	if err := os.WriteFile("x.path", []byte(schedule), 0o600); err != nil {
		t.Fatal(err)
	}
	testReports(t, []string{"FAILED TEST: x_test.go:26: spin b a"}, 1, "-schedule=x.path", ".")
}

// A report names operations that do not block, and the timers that started goroutines. Once the test is mended, the package's line counts
// the saved schedule.
func TestTest_Origins(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library the first time")
	}
	const text = `package x

import (
	"testing"
	"time"
)

func TestFlush(t *testing.T) {
	c, n := make(chan int), 0
	for range 2 {
		time.AfterFunc(time.Millisecond, func() {
			select {
			case <-c:
			default:
			}
			c <- 1
		})
	}
	for n < 1 {
		n += <-c
	}
}
`
	testFile(t, text)
	out, status := testCommand(t.Context(), "-count=1", "-schedules=100", ".")
	for _, want := range []string{"LEAK: 1 goroutine is blocked", ": started by the timer set at x_test.go:11 in TestFlush\n"} {
		if status != 1 || !strings.Contains(out, want) {
			t.Errorf("status %d, %q is missing:\n%s", status, want, out)
		}
	}
	drawn, status := commandHere(t.Context(), "graph", "testdata/macemc/TestFlush/leak-1.path")
	for _, want := range []string{": started by the timer set at x_test.go:11 in TestFlush\n", "takes default, as `c` is not ready"} {
		if status != 0 || !strings.Contains(drawn, want) {
			t.Errorf("graph: status %d, %q is missing:\n%s", status, want, drawn)
		}
	}
	if err := os.WriteFile("x_test.go", []byte(strings.Replace(text, "n < 1", "n < 2", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, status := testCommand(t.Context(), "-count=1", "-schedules=5", "."); status != 0 ||
		!regexp.MustCompile(`(?m)^ok .*; 1 saved schedule passes`).MatchString(out) {
		t.Errorf("mended: status %d\n%s", status, out)
	}
}

// Whether goroutines end under other schedules is compared by go statement, and by call of WaitGroup.Go.
func TestTest_LeftByStatement(t *testing.T) {
	testFile(t, `package x

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func forever() {
	for {
		time.Sleep(time.Second)
	}
}

func TestLeft(t *testing.T) {
	var x atomic.Bool
	go func() {
		forever()
	}()
	go func() {
		if x.Load() {
			forever()
		}
	}()
	x.Store(true)
}

func TestGroup(t *testing.T) {
	var x atomic.Bool
	var wg sync.WaitGroup
	wg.Go(forever)
	wg.Go(func() {
		if x.Load() {
			forever()
		}
	})
	x.Store(true)
}

func TestAll(t *testing.T) {
	var wg sync.WaitGroup
	wg.Go(forever)
	done := make(chan int)
	wg.Go(func() { close(done) })
	<-done
}

var stop = make(chan int)

func reader() { <-stop }
func writer() { <-stop }

func TestEither(t *testing.T) {
	go reader()
	go writer()
	stop <- 1
}

func TestBesides(t *testing.T) {
	go forever()
	go reader()
	go writer()
	stop <- 1
	select {
	case stop <- 1:
	default:
	}
}
`)
	out, status := testCommand(t.Context(), "-count=1", "-schedules=50", "-explore-time=1m", "-v", ".")
	if n := strings.Count(out, "LEAK: 1 goroutine is left after the test has returned"); n != 3 || status != 1 || !strings.Contains(out, "--- PASS: TestAll") ||
		!strings.Contains(out, "--- PASS: TestEither") {
		t.Errorf("status %d, %d leaks of one goroutine:\n%s", status, n, out)
	}
	testReports(t, []string{"LEAK: 1 goroutine is left"}, 1, "-run=Group", "-schedule=testdata/macemc/TestGroup/leak-1.path", ".")
	testReports(t, []string{"LEAK: 1 goroutine is left"}, 1, "-run=Besides", "-schedule=testdata/macemc/TestBesides/leak-1.path", ".")
}

// A run ends when a panic would end the process. The report names the goroutine, and where a channel that it closes again was closed.
func TestTest_EndsAtPanic(t *testing.T) {
	testFile(t, `package x

import (
	"sync/atomic"
	"testing"
)

func TestTwice(t *testing.T) {
	c := make(chan int)
	var n atomic.Int32
	go func() {
		for range 1000 {
			n.Add(1)
		}
	}()
	close(c)
	close(c)
}
`)
	testReports(t, []string{"PANIC: close of closed channel\n      x_test.go:17  TestTwice\n      in goroutine 1\n",
		"\n    the channel was closed in step 2: goroutine 1: closes `c` at x_test.go:16 in TestTwice\n"}, 1, ".")
	if out, status := commandHere(t.Context(), "graph", "last"); status != 0 || !strings.Contains(out, "closes `c`") || strings.Contains(out, "of atomic `n`") {
		t.Errorf("status %d, a run with steps after the panic:\n%s", status, out)
	}
}

// The goroutine that exceeds the limit of points runs, the subtests that fail under the found schedule have failed, a panic is reported also
// if the text of its value needs a lock that is held, and the bound of an exhaustive exploration counts early timers.
func TestTest_FindingTexts(t *testing.T) {
	testFile(t, `package x

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestLivelock(t *testing.T) {
	var f atomic.Int32
	go f.CompareAndSwap(0, 1)
	f.CompareAndSwap(0, 2)
	for f.Load() != 2 {
		runtime.Gosched()
	}
}

func TestSub(t *testing.T) {
	for _, name := range []string{"a", "b/c"} {
		t.Run(name, func(t *testing.T) {
			var x atomic.Int32
			go x.Store(1)
			t.Run("d", func(t *testing.T) {
				if name != "a" && x.Load() == 1 {
					t.Error("stored")
				}
			})
		})
	}
}

type locked struct{ sync.Mutex }

func (e *locked) Error() string { e.Lock(); defer e.Unlock(); return "locked" }

func TestPanic(t *testing.T) {
	e := new(locked)
	e.Lock()
	panic(e)
}

func TestChain(t *testing.T) {
	var x atomic.Int32
	time.AfterFunc(400*time.Microsecond, func() { time.AfterFunc(400*time.Microsecond, func() { x.Store(1) }) })
	if x.Load() == 1 {
		t.Error("both timers have fired")
	}
}
`)
	testReports(t, []string{"      goroutine 1 runs at x_test.go:16 in TestLivelock\n",
		"    --- PASS: TestSub/a (", "    --- PASS: TestSub/a/d (", "    --- FAIL: TestSub/b/c (", "        --- FAIL: TestSub/b/c/d (",
		"macemc: PANIC: a value of type *x.locked, whose method Error or String does not return\n      x_test.go:41  TestPanic\n"},
		1, "-v", "-run=Livelock|Sub|Panic", ".")
	testReports(t, []string{"complete: all 990 schedules with at most 2 preemptions, early timers included, if there is no data race (",
		"(1 complete with at most 2 preemptions, early timers included)"}, 0, "-v", "-run=Chain", "-exhaustive=2", ".")
	testReports(t, []string{"2 switches and 2 timers differ from the default order, 1 preemption among the switches"}, 1, "-run=Chain", "-exhaustive=3", ".")
}

// A schedule is executed with the same scheduling points as in the exploration that has found it.
func TestTest_SchedulePoints(t *testing.T) {
	testFile(t, `package x

import (
	"sync/atomic"
	"testing"
)

func TestLost(t *testing.T) {
	var n int32
	done := make(chan bool)
	add := func() {
		atomic.StoreInt32(&n, atomic.LoadInt32(&n)+1)
		done <- true
	}
	go add()
	go add()
	<-done
	<-done
	if got := atomic.LoadInt32(&n); got != 2 {
		t.Error(got)
	}
}
`)
	if out, status := testCommand(t.Context(), "."); status != 1 {
		t.Fatalf("status %d:\n%s", status, out)
	}
	out, status := testCommand(t.Context(), "-run=TestLost", "-schedule=testdata/macemc/TestLost/failed-test-1.path", ".")
	if status != 1 {
		t.Errorf("status %d:\n%s", status, out)
	}
	expect(t, out, `FAILED TEST: x_test.go:\d+: 1$`, `\(calls \w+Int32\(.*\) of atomic .n. at x_test.go:12 in TestLost.func1\)`)
}

// A finding of several tests is reported once. The others name the test with the report.
func TestTest_SameFinding(t *testing.T) {
	testFile(t, `package x

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

func open() { go func() { <-make(chan int) }() }

func TestFirst(t *testing.T) { open() }

func TestSecond(t *testing.T) { open() }

func TestThird(t *testing.T) {
	var wg sync.WaitGroup
	wg.Go(open)
	wg.Wait()
}

func TestTwo(t *testing.T) {
	open()
	open()
}

func TestOwn(t *testing.T) { go func() { <-make(chan int) }() }

// The schedules of the findings are not files of the test.
func TestReadsAll(t *testing.T) {
	found, _ := filepath.Glob("testdata/*")
	fs.WalkDir(os.DirFS("testdata"), ".", func(name string, _ fs.DirEntry, _ error) error {
		found = append(found, name)
		return nil
	})
	if _, err := os.Stat("testdata"); err != nil || len(found) != 1 {
		t.Error(found, err)
	}
}
`)
	run := func() string {
		t.Helper()
		out := testStatus(t, 1, "-schedules=20", "-count=2", ".")
		expect(t, out, `(?s)--- FAIL: TestFirst.*macemc: LEAK.*replay:.*--- FAIL: TestSecond`,
			`macemc: LEAK: .*; the same finding as in TestFirst; testdata/macemc/TestSecond/leak-1.path`,
			`^macemc: example.org/x TestSecond, TestThird, TestTwo: the same finding as in TestFirst$`)
		if n := strings.Count(out, "--- FAIL"); n != 10 {
			t.Errorf("%d failures, want 10:\n%s", n, out)
		}
		return out
	}
	if out := run(); strings.Count(out, "replay:") != 4 { // of TestFirst and TestOwn, with -count=2
		t.Errorf("want 4 reports:\n%s", out)
	}
	run()
	testReports(t, []string{"LEAK", "replayed from"}, 1, "-run=^TestSecond$", "-schedule=testdata/macemc/TestSecond/leak-1.path", ".")
	out := testStatus(t, 1, "-run=TestSecond", ".")
	expect(t, out, "replay: ")
}
