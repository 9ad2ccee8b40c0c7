package cli

import (
	"go/version"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/check/exitcode"
)

// Tests with bugs in some schedules are reported, others pass, and what cannot be explored runs once. The second time the findings that
// were kept are executed first.
func TestTest_Explores(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library the first time")
	}
	leanBuilds(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/explore")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	run := func(args ...string) (string, int) {
		return testCommand(t.Context(), append([]string{"-count=1", "-schedules=300"}, args...)...)
	}
	out, status := run(".")
	if status != 1 {
		t.Errorf("status %d\n%s", status, out)
	}
	for _, want := range []string{
		`(?s)--- FAIL: TestLocks .*DEADLOCK: 3 goroutines are blocked and nothing can wake them\n.*goroutine 2 waits to lock Mutex .b. at explored_test.go:29 in TestLocks.func1, held by goroutine 3\n(?:[^\n]*\n){2,5}    found by [^\n]*; 1 (switch|pause) (more than|differs from) the default order[^\n]*\n      goroutine [^\n]*; the test passes without that\n`,
		`(?s)--- FAIL: TestAtomics .*FAILED TEST: explored_test.go:59: 2 and 1\n`,
		`(?s)--- FAIL: TestLeak .*LEAK: 1 goroutine is blocked and nothing can wake it, after the test has returned\n.*waits to send to channel .c. at explored_test.go:67`,
		`(?s)--- FAIL: TestPanic .*PANIC: close of closed channel\n`,
		`(?s)--- FAIL: TestWithdraw .*FAILED TEST: explored_test.go:\d+: the balance is -10\n(?:[^\n]*\n){1,6}    found by [^\n]*; [1-3] (switch(es)?|pauses?) (more|differ)[^\n]*\n(\s+goroutine \d+ [^\n]* step \d+[: ][^\n]*\n)+\s+critical step`,
		`TestRegistered: schedule 2 ended with FAILED TEST: .*, which depends on state that earlier runs left in mime\..*; reset that state in the test; to repeat: macemc test -run '\^TestRegistered\$' -explore-seed 1 -schedules 2 example.org/explored\n`,
		`(?s)--- FAIL: TestGenerator .*FAILED TEST: explored_test.go:\d+: map\[0:\d+ 1:\d+\], \d+, [0-9a-f]+, true, 1\n`,
		`(?s)--- FAIL: TestInfinity .*DEADLOCK: .*goroutine 1 waits in select at `,
		`TestProcess: not explored: it starts a process\n`,
		`(?s)--- FAIL: TestSynctestLeft .*DEADLOCK: 2 goroutines are blocked`,
		`(?s)--- FAIL: TestSynctestFails .*FAILED TEST: TestSynctestFails/order: explored_test.go:\d+: 1 is first\n(?:[^\n]*\n){1,4}    found by`,
		`(?s)--- FAIL: TestLogsLate .*PANIC: Log in goroutine after TestLogsLate has completed: late\n`,
		`(?s)--- FAIL: Example_lines .*FAILED TEST: the output is "two\\none", want "one\\ntwo"\n`,
		`(?s)--- FAIL: FuzzOrder/seed#1 .*FAILED TEST: explored_test.go:\d+: the second one comes first\n.*replay: macemc test -run '\^FuzzOrder\$/\^seed#1\$' -schedule \S+ example.org/explored\n`,
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("%s is missing", want)
		}
	}
	if n := strings.Count(out, "--- FAIL"); n != 13 {
		t.Errorf("%d tests failed, want 13", n)
	}
	var kept []string
	fs.WalkDir(os.DirFS("testdata/macemc"), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			kept = append(kept, path)
		}
		return err
	})
	if got, want := strings.Join(kept, " "),
		"Example_lines/failed-test-1.path FuzzOrder/seed#1/failed-test-1.path TestAtomics/failed-test-1.path TestGenerator/failed-test-1.path TestInfinity/deadlock-1.path TestLeak/leak-1.path TestLocks/deadlock-1.path TestLogsLate/panic-1.path TestPanic/panic-1.path TestSynctestFails/failed-test-1.path TestSynctestLeft/deadlock-1.path TestWithdraw/failed-test-1.path"; got != want {
		t.Errorf("kept %s, want %s", got, want)
	}
	if again, _ := run("-run=TestLocks", "."); !strings.Contains(again, "found by a schedule in "+filepath.Join("testdata", "macemc", "TestLocks")) {
		t.Errorf("the second time:\n%s", again)
	}
	if again, status := run("-run=TestLocks", "-schedule", "testdata/macemc/TestLocks/deadlock-1.path", "."); status != 1 || !strings.Contains(again, "DEADLOCK") {
		t.Errorf("replay: status %d\n%s", status, again)
	}
	values := regexp.MustCompile(`FAILED TEST: explored_test.go:\d+: map.*`)
	drawn, status := commandHere(t.Context(), "graph", "testdata/macemc/TestLocks/deadlock-1.path")
	if status != 0 || !strings.Contains(drawn, "g2 TestLocks.func1") || !strings.Contains(drawn, "--go--") || !strings.Contains(drawn, "!! deadlock: 3 goroutines are blocked") {
		t.Errorf("graph: status %d\n%s", status, drawn)
	}
	page, status := commandHere(t.Context(), "graph", "testdata/macemc/TestLocks/deadlock-1.path", "--format", "html")
	for _, want := range []string{
		`<h1 class="bad">DEADLOCK: 3 goroutines are blocked and nothing can wake them</h1>`, "<dt>at the end</dt><dd>goroutine 2 waits to lock Mutex `b` at",
		"<dt>critical step</dt>", `<mark>&gt;`, "<dt>passing run</dt>", "0 of 200 after it", "The nearest schedule that passes, equal through step ", "starts or wakes",
	} {
		if status != 0 || !strings.Contains(page, want) {
			t.Errorf("the page, with exit status %d, lacks %q", status, want)
		}
	}
	text, err := os.ReadFile("testdata/macemc/TestLocks/deadlock-1.path")
	if err != nil {
		t.Fatal(err)
	}
	text = regexp.MustCompile(`(?m)^(switch|pause) .*\n`).ReplaceAll(text, nil)
	if err := os.WriteFile("default.path", regexp.MustCompile(`(?m)^end \d+$`).ReplaceAll(text, []byte("end 0")), 0o666); err != nil {
		t.Fatal(err)
	}
	if again, status := run("-run=TestLocks", "-schedule", "default.path", "."); status != 0 ||
		!strings.Contains(again,
			"macemc: example.org/explored TestLocks: passes under default.path: delete the file, or commit it as a regression test") {
		t.Errorf("replaying the default order: status %d\n%s", status, again)
	}
	const who = "test TestLocks\n"
	text, _ = os.ReadFile("testdata/macemc/TestLocks/deadlock-1.path")
	for _, c := range []struct {
		old, new, want string
		status         int
	}{
		{`(?m)^(switch|pause) (\S+) at \d+`, "$1 $2 at 999", "example.org/explored TestLocks: passes, but other.path does not fit: 0 of ", 0},
		{who, "test TestAtomics\n", "this is a schedule of TestAtomics in package example.org/explored, which was not executed", exitcode.Usage},
		{`package .*`, "package example.org/other",
			"this is a schedule of TestLocks in package example.org/other, which was not executed", exitcode.Usage},
		{`schedule 1`, "schedule 9", `other.path: line 1: a schedule begins with "macemc schedule 1"`, exitcode.Usage},
		{`(?s)end .*`, "", "other.path: the end is missing", exitcode.Usage},
	} {
		if err := os.WriteFile("other.path", regexp.MustCompile(c.old).ReplaceAll(text, []byte(c.new)), 0o666); err != nil {
			t.Fatal(err)
		}
		if again, status := run("-run=TestLocks", "-schedule", "other.path", "."); status != c.status || !strings.Contains(again, c.want) {
			t.Errorf("replaying %q: status %d\n%s", c.new, status, again)
		}
	}
	again, _ := run("-run=TestGenerator", "-schedule", "testdata/macemc/TestGenerator/failed-test-1.path", ".")
	if got, want := values.FindString(again), values.FindString(out); got != want || want == "" {
		t.Errorf("package variables begin as %q in one process, and as %q in another", want, got)
	}
	if once, status := run("-explore=false", "-run=TestHTTP", "."); status != 0 || strings.Contains(once, "schedules") {
		t.Errorf("without exploration: status %d\n%s", status, once)
	}
	verbose, status := run("-v", "-run=TestSubtests|TestSkipped|TestHTTP|Example$", ".")
	if status != 0 {
		t.Errorf("-v: status %d", status)
	}
	for _, want := range []string{"=== RUN   TestSubtests/sub/a#01\n", "    --- PASS: TestSubtests/sub#01 ", "explored_test.go:152: logged\n", "--- SKIP: TestSkipped", "--- PASS: Example", "no finding; "} {
		if !strings.Contains(verbose, want) {
			t.Errorf("-v: %q is missing", want)
		}
	}
	if version.Compare(runtime.Version(), "go1.27") < 0 { // from which on there are no timers of Go 1.22
		t.Setenv("GODEBUG", "asynctimerchan=1")
		if old, status := run("-run=TestHTTP|TestUDP", "."); status != 0 {
			t.Errorf("with the timers of Go 1.22: status %d\n%s", status, old)
		}
	}
	if t.Failed() {
		t.Logf("%s\n%s", out, verbose)
	}
}

// These operations are scheduling points, and goroutines that only some schedules leave behind are leaks.
func TestTest_Points(t *testing.T) {
	testFile(t, `package x

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"
)

func TestStopAndReset(t *testing.T) {
	timer := time.AfterFunc(time.Hour, func() {})
	var wg sync.WaitGroup
	wg.Go(func() {
		timer.Reset(time.Hour)
		if !timer.Stop() {
			t.Error("stopped by another")
		}
	})
	wg.Go(func() { timer.Stop() })
	wg.Wait()
}

func TestFires(t *testing.T) {
	if timer := time.AfterFunc(500*time.Microsecond, func() {}); !timer.Stop() {
		t.Error("late")
	}
}

func TestExpires(t *testing.T) {
	timeout := time.After(500 * time.Microsecond)
	c := make(chan int, 1)
	c <- 1
	select {
	case <-c:
	case <-timeout:
		t.Error("late")
	}
}

func TestTicks(t *testing.T) {
	ticker := time.NewTicker(500 * time.Microsecond)
	defer ticker.Stop()
	select {
	case <-ticker.C:
		t.Error("late")
	default:
	}
}

// A goroutine that a timer wakes at a point may run before the operation there.
func TestOvertakes(t *testing.T) {
	c := make(chan int, 1)
	go func() {
		time.Sleep(500 * time.Microsecond)
		c <- 1
	}()
	runtime.Gosched() // the goroutine sleeps
	if len(c) != 0 {
		t.Error("overtaken")
	}
}

// Nothing can restart the timer.
func TestStopped(t *testing.T) {
	go func() {
		timer := time.NewTimer(time.Second)
		timer.Stop()
		<-timer.C
	}()
}

func TestLength(t *testing.T) {
	c := make(chan int, 1)
	go func() { c <- 1 }()
	if len(c) != len(c) {
		t.Error("sent between both")
	}
}

type cache struct{ stop chan bool }

func (c *cache) clean() {
	for ticker := time.NewTicker(time.Second); ; {
		select {
		case <-ticker.C:
		case <-c.stop:
			return
		}
	}
}

func TestLeaves(t *testing.T) {
	c := &cache{make(chan bool)}
	go c.clean()
	runtime.Gosched()
	select {
	case c.stop <- true:
	default:
	}
}

var worker sync.Once

func TestOKWorker(t *testing.T) {
	worker.Do(func() {
		go func() {
			for range time.Tick(time.Second) {
			}
		}()
	})
}

func TestOKUnix(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
	l.Close()
	if _, err := os.Stat(path); err == nil {
		t.Error("the file is left")
	}
}

func TestOKCleanup(t *testing.T) {
	c := make(chan int, 1)
	func() {
		x := new([100]int)
		runtime.AddCleanup(x, func(int) { c <- 1 }, 0)
		x[0] = 1
	}()
	runtime.GC()
	<-c
}
`)
	out, status := testCommand(t.Context(), "-count=1", "-v", "-vet=off", "-schedules=1000", ".")
	for _, want := range []string{"stopped by another", "Fires .*", "Expires .*", "Ticks .*", "overtaken", "Stopped .*", "LEAK: 1 goroutine is blocked and nothing can wake it", "sent between both", "LEAK: 1 goroutine is left after the test has returned, and ends under other schedules",
		"--- PASS: TestOKWorker", "TestOKWorker: left after the test has returned", "--- PASS: TestOKUnix", "--- PASS: TestOKCleanup", "TestOKCleanup: not explored: it calls runtime.GC"} {
		if status != 1 || !strings.Contains(out, want) && !regexp.MustCompile("--- FAIL: Test"+want).MatchString(out) {
			t.Errorf("status %d, %q is missing:\n%s", status, want, out)
		}
	}
}
