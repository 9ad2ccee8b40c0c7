package cli

import (
	"context"
	"errors"
	"fmt"
	"go/version"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/task"
)

// A cached result is one of the same settings.
func TestTest_Cached(t *testing.T) {
	testFile(t, "package x\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) { go func() {}() }\n")
	for _, c := range []struct {
		flag   string
		cached bool
	}{
		{"-schedules=3", false}, {"-schedules=3", true}, {"-schedules=4", false}, {"-explore-time=1s", false}, {"-explore-seed=2", false},
		{"-exhaustive", false}, {"-exhaustive=1", false}, {"-exhaustive", true}, {"-explore=false", false}, {"-schedules=4", true},
	} {
		if out, status := testCommand(t.Context(), c.flag, "."); status != 0 || strings.Contains(out, "(cached)") != c.cached {
			t.Errorf("%s: status %d, cached must be %t:\n%s", c.flag, status, c.cached, out)
		}
	}
}

// A cached result is shown with the summary of the run that it is of, although another copy of the module, other arguments
// and another version of the test have other findings meanwhile.
func TestTest_CachedSummaries(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library the first time")
	}
	const text = `package x

import "testing"

func TestX(t *testing.T) {
	c := make(chan int, 2)
	go func() { c <- 1 }()
	go func() { c <- 2 }()
	if n := <-c; n == 2 {
		t.Errorf("got %d", n)
	}
}

func TestY(t *testing.T) {}
`
	testFile(t, text)
	run := func(cached bool, want string, args ...string) {
		t.Helper()
		out, status := testCommand(t.Context(), append(args, "-schedules=50", ".")...)
		if status != 0 || cached != strings.Contains(out, "(cached)") || strings.Contains(out, "testcache") {
			t.Errorf("%q: status %d, cached must be %t:\n%s", args, status, cached, out)
		}
		if expect(t, out, want); want == unknown && strings.Contains(out, "known:") {
			t.Errorf("%q: a finding of another result:\n%s", args, out)
		}
	}
	change := func(text string) { // the go command caches nothing that depends on a file of the last two seconds
		t.Helper()
		err := os.WriteFile("x_test.go", []byte(text), 0o600)
		err = errors.Join(err, filepath.WalkDir(".", func(name string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Chtimes(name, time.Unix(1e9, 0), time.Unix(1e9, 0)))
		}))
		if err != nil {
			t.Fatal(err)
		}
	}
	if out, status := testCommand(t.Context(), "-schedules=50", "."); status != 1 {
		t.Fatalf("status %d:\n%s", status, out)
	}
	markKnown(t)
	change(text)
	run(false, known)
	run(true, known)

	mine, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "x")
	if err := os.Mkdir(other, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(other)
	if err := os.WriteFile("go.mod", []byte("module example.org/x\n\ngo 1.26\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	change(strings.Replace(text, "n == 2", "n == 3", 1))
	run(false, unknown)
	run(true, unknown)
	t.Chdir(mine)
	run(true, known)
	run(false, `^ok .* schedules? of 1 test`, "-run=TestY")
	run(true, known)
	change(strings.Replace(text, "n == 2", "n == 4", 1))
	run(false, `TestX: fixed: `)
	change(text)
	run(true, known)
	t.Chdir(other)
	run(true, unknown)
}

const unknown = `^ok .* schedules of 2 tests`

// known matches the line about a known finding.
const known = `^macemc: example.org/x TestX: known: FAILED TEST: x_test.go:10: got 2`

// A folder that cannot be written is named, with the variable that selects another one.
func TestTest_Unwritable(t *testing.T) {
	testFile(t, "package x\n")
	file := filepath.Join(t.TempDir(), "file") // no folder can be made below it, even by root
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, variable := range []string{"TMPDIR", "GOTMPDIR", "GOCACHE", "XDG_CACHE_HOME"} {
		t.Run(variable, func(t *testing.T) {
			t.Setenv("GOCACHE", goCache(t))
			t.Setenv(variable, filepath.Join(file, "below"))
			want := "make room in " + filepath.Join(file, "below") + ", or set " + variable + " to a folder that can be written\n"
			if out, status := testCommand(t.Context(), "."); status == 0 || strings.Count(out, want) != 1 {
				t.Errorf("status %d, want %q in\n%s", status, want, out)
			}
		})
	}
}

// goCache returns the build cache of the go command.
func goCache(t *testing.T) string {
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// A schedule of a package that does not compile adds nothing to the output of go test.
func TestTest_ScheduleUnbuilt(t *testing.T) {
	testFile(t, "package x\n\nvar _ = undefined\n")
	if err := os.WriteFile("x.path", []byte("macemc schedule 1\npackage example.org/x\ntest TestX\nend 0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, status := testCommand(t.Context(), "-schedule=x.path", ".")
	if status != 1 || !strings.Contains(out, "x_test.go:3:9: undefined: undefined\n") || strings.Contains(out, "not executed") {
		t.Errorf("status %d:\n%s", status, out)
	}
}

// An interrupt of the command reaches the tests.
func TestTest_Interrupted(t *testing.T) {
	testFile(t, `package x

import (
	"sync"
	"testing"
	"time"
)

func TestX(t *testing.T) {
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			for range 20 {
				time.Sleep(time.Millisecond)
			}
		})
	}
	wg.Wait()
}
`)
	ctx, cancel := context.WithCancelCause(t.Context())
	out := &cancelling{cancel: cancel, on: "=== RUN"}
	a := &app{Process: task.Process{Stdout: out, Stderr: out, Stdin: strings.NewReader(""), Program: "macemc", Front: front{}}}
	status := a.run(ctx, []string{"test", "-count=1", "-v", "-explore-time=1h", "-schedules=1000000000", "."})
	if ended := time.Since(out.at); status != exitcode.Interrupted || ended > 6*time.Second {
		t.Errorf("status %d, %v after the interrupt:\n%s", status, ended, &out.text)
	}
}

// A finding that is not yet minimized is reported if the tests are interrupted or the go command is killed, and its schedule is kept.
func TestTest_InterruptedWithFinding(t *testing.T) {
	testFile(t, `package x

import "testing"

func TestX(t *testing.T) {
	n := 0
	for i := range 300_000_000 {
		n += i
	}
	make(chan int, 0) <- n
}
`)
	reports := func(what, out string, status int) {
		for _, want := range []string{
			"macemc: example.org/x TestX: DEADLOCK: 1 goroutine is blocked and nothing can wake it (the process ended before this was ",
			"replay: macemc test -run '^TestX$' -schedule testdata/macemc/TestX/deadlock-1.path example.org/x\n",
		} {
			if status != exitcode.Violation || !strings.Contains(out, want) {
				t.Errorf("%s: status %d, want %q in\n%s", what, status, want, out)
			}
		}
	}
	if runtime.GOOS == "linux" {
		go func() {
			await(t, "testdata/macemc/TestX/deadlock-1.path")
			killGo(t)
		}()
		text, status := testCommand(t.Context(), "-count=1", "-v", ".")
		reports("killed", text, status)
		os.RemoveAll("testdata")
	}

	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		await(t, "testdata/macemc/TestX/deadlock-1.path")
		cancel(&exitcode.Interruption{Signal: os.Interrupt})
	}()
	text, status := testCommand(ctx, "-count=1", "-v", ".")
	reports("interrupted", text, status)
	if out, status := testCommand(t.Context(), "-run=^TestX$", "-schedule=testdata/macemc/TestX/deadlock-1.path", "."); status != 1 {
		t.Errorf("replay: status %d\n%s", status, out)
	}
}

// manyOrders is the rest of a test with more orders than a test explores.
const manyOrders = `
	var group sync.WaitGroup
	var mutex sync.Mutex
	for range 5 {
		group.Go(func() {
			for range 20 {
				mutex.Lock()
				mutex.Unlock()
			}
		})
	}
	group.Wait()
`

// A command that is interrupted while it explores a test reports the findings of others, whose output the go command withholds until the
// package ends.
func TestTest_InterruptedAfterFinding(t *testing.T) {
	testFile(t, `package x

import (
	"os"
	"sync"
	"testing"
)

func TestX(t *testing.T) { <-make(chan int) }

func TestY(t *testing.T) {
	os.WriteFile("began", nil, 0o600)`+manyOrders+`}
`)
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		await(t, "began")
		cancel(errors.New("interrupted"))
	}()
	out, status := testCommand(ctx, "-count=1", "-explore-time=1h", "-schedules=1000000000", ".")
	reports := regexp.MustCompile(`--- FAIL: TestX( \([0-9.]+s\))?\n    macemc: DEADLOCK: `) // with the time if the go command printed it
	if status != exitcode.Violation || len(reports.FindAllString(out, -1)) != 1 ||
		!strings.Contains(out, "replay: macemc test -run '^TestX$' -schedule testdata/macemc/TestX/deadlock-1.path example.org/x\n") {
		t.Errorf("status %d\n%s", status, out)
	}
}

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
	for _, want := range []string{": started by the timer set at x_test.go:11 in TestFlush\n", "takes default, as c is not ready"} {
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

// A report names the case that a select takes. Continuations draw the cases of later selects anew, so a select may be the critical step,
// even if no schedule but its case decides.
func TestTest_SelectedCase(t *testing.T) {
	testFile(t, `package x

import "testing"

func TestAlone(t *testing.T) {
	a, b := make(chan int, 1), make(chan int, 1)
	b <- 1
	select {
	case <-b:
	case a <- 1:
		t.Error("sent")
	case <-a:
	}
}

func TestWorker(t *testing.T) {
	jobs, quit, begun, ended := make(chan int, 1), make(chan bool), make(chan bool), make(chan bool)
	go func() {
		begun <- true
		select {
		case <-jobs:
		case <-quit:
			t.Error("quit")
		}
		close(ended)
	}()
	jobs <- 1
	<-begun
	close(quit)
	<-ended
}
`)
	testReports(t, []string{
		"critical step: 2 of 2; ", "step 2: goroutine 1: sends to a in a select with 2 ready cases at x_test.go:8 in TestAlone\n",
		"critical step: 7 of 8; ", "step 7: goroutine 2: receives from quit in a select with 2 ready cases at x_test.go:20 in TestWorker.func1\n",
	}, 1, "-count=1", "-explore-time=1m", ".")
	for _, name := range []string{"TestAlone", "TestWorker"} {
		path := "testdata/macemc/" + name + "/failed-test-1.path"
		if out, status := commandHere(t.Context(), "mdb", path, "--batch", "-x", "critical; diff"); status != 0 || strings.Contains(out, "is not known") ||
			strings.Contains(out, "no run to compare with") {
			t.Errorf("mdb %s: status %d\n%s", name, status, out)
		}
	}
	testReports(t, []string{"critical step: 7 of 8; "}, 1, "-run=TestWorker", "-schedule=testdata/macemc/TestWorker/failed-test-1.path", ".")
	if err := os.RemoveAll("testdata"); err != nil {
		t.Fatal(err)
	}
	testReports(t, []string{"critical step: 2 of 2; ", "takes case ", "critical step: 7 of 8; "}, 1, "-count=1", "-exhaustive", ".")
}

// The case that a trace names is the one that the select has taken.
func TestTest_TakenCases(t *testing.T) {
	testFile(t, `package x

import "testing"

func fill(c chan int) {
	select {
	case c <- 1:
	default:
	}
}

func TestTook(t *testing.T) {
	var none chan int
	a, b, c, d, e := make(chan int, 1), make(chan int, 1), make(chan int, 1), make(chan int, 1), make(chan int)
	close(e)
	took := ""
	for i := range 30 {
		for _, x := range []chan int{a, b, c} {
			if i%3 > 0 || x == b {
				fill(x)
			}
		}
		if i%2 == 0 {
			select {
			case <-a:
				took += "a"
			case d <- 1:
				took += "D"
			case <-none:
			case x := <-b:
				took += string("bb"[x-1])
			case _, ok := <-e:
				if !ok {
					took += "e"
				}
			case <-c:
				took += "c"
			}
			continue
		}
		select {
		case <-d:
			took += "d"
		case none <- 1:
		case <-c:
			took += "c"
		case b <- 2:
			took += "B"
		case a <- 2:
			took += "A"
		case <-a:
			took += "a"
		}
	}
	t.Errorf("took %s", took)
}
`)
	seen := map[string]bool{}
	for _, seed := range []string{"1", "2", "3"} {
		if err := os.RemoveAll("testdata"); err != nil {
			t.Fatal(err)
		}
		out, status := testCommand(t.Context(), "-count=1", "-explore-seed="+seed, ".")
		took := regexp.MustCompile(`FAILED TEST: .*: took ([A-Za-e]{30})\n`).FindStringSubmatch(out)
		if status != 1 || took == nil {
			t.Fatalf("status %d:\n%s", status, out)
		}
		steps, _ := commandHere(t.Context(), "mdb", "testdata/macemc/TestTook/failed-test-1.path", "--batch", "-x", "steps /in a select/")
		named := ""
		for _, m := range regexp.MustCompile(`(receives from|sends to) ([a-e])(?: #[0-9]+)? in a select`).FindAllStringSubmatch(steps, -1) {
			if m[1] == "sends to" {
				m[2] = strings.ToUpper(m[2])
			}
			if m[2] == "C" { // by fill
				continue
			}
			named += m[2]
		}
		if named != took[1] {
			t.Errorf("seed %s: the trace names %s, but the test took %s\n%s", seed, named, took[1], steps)
		}
		seen[named] = true
	}
	if len(seen) < 2 {
		t.Errorf("all seeds took %v", seen)
	}
}

// Random numbers and the order of maps are drawn anew, too, by each goroutine from its next draw on. The order differs between iterations
// at one instant.
func TestTest_DrawnAnew(t *testing.T) {
	testFile(t, `package x

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
)

func TestDraw(t *testing.T) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	x := 0
	wg.Go(func() { x = rand.IntN(2) })
	mu.Lock()
	mu.Unlock()
	wg.Wait()
	mu.Lock()
	mu.Unlock()
	if x == 1 {
		t.Error("one")
	}
}

func first(m map[int]bool) int {
	for k := range m {
		return k
	}
	return -1
}

func TestTwice(t *testing.T) {
	m := map[int]bool{1: true, 2: true}
	if first(m) != first(m) {
		t.Error("two orders")
	}
}

func TestOKEvict(t *testing.T) {
	m := map[int]bool{}
	for i := range 100 {
		m[i] = true
		for len(m) > 4 {
			if k := first(m); k != 0 {
				delete(m, k)
			}
		}
		runtime.Gosched()
	}
}
`)
	out, status := testCommand(t.Context(), "-count=1", "-explore-time=5s", "-v", ".")
	for _, want := range []string{"--- FAIL: TestDraw ", "critical step: 6 of 8; ", "step 6: goroutine 2: uses WaitGroup wg", "--- FAIL: TestTwice ", "two orders", "--- PASS: TestOKEvict"} {
		if status != 1 || !strings.Contains(out, want) {
			t.Errorf("status %d, %q is missing:\n%s", status, want, out)
		}
	}
}

// killGo kills the go command that this process has started.
func killGo(t *testing.T) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, stat := range stats {
		text, _ := os.ReadFile(stat) // "PID (NAME) STATE PARENT ..."
		var pid, parent int
		var name, state string
		if n, _ := fmt.Sscan(string(text), &pid, &name, &state, &parent); n == 4 && name == "(go)" && parent == os.Getpid() {
			if p, err := os.FindProcess(pid); err == nil && p.Kill() == nil {
				return
			}
		}
	}
	t.Error("there is no go command to kill")
}

// cancelling keeps what is written, and interrupts a while after a text.
type cancelling struct {
	bothStreams
	on     string
	at     time.Time
	cancel context.CancelCauseFunc
}

func (c *cancelling) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at.IsZero() && strings.Contains(string(p), c.on) {
		const delay = 2 * time.Second
		c.at = time.Now().Add(delay)
		time.AfterFunc(delay, func() { c.cancel(&exitcode.Interruption{Signal: os.Interrupt}) })
	}
	return c.text.Write(p)
}

// Names of Unix sockets may be abstract or relative, and a file that does not exist is not found.
func TestTest_UnixSockets(t *testing.T) {
	testFile(t, `package x

import (
	"errors"
	"io/fs"
	"net"
	"path/filepath"
	"testing"
)

func TestUnix(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"@macemc-test", "relative.sock"} {
		l, err := net.Listen("unix", name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := net.Dial("unix", name)
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		l.Close()
	}
	for _, network := range []string{"unix", "unixgram"} {
		if _, err := net.Dial(network, filepath.Join(t.TempDir(), "none.sock")); !errors.Is(err, fs.ErrNotExist) {
			t.Error(network, err)
		}
	}
}
`)
	testReports(t, []string{"schedules of 1 test"}, 0, "-schedules=20", ".")
}

// Operations on closed sockets, and on those whose peer is closed, have the same results as with the system's network.
func TestTest_NetworkClosed(t *testing.T) {
	testFile(t, `package x

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

type conn interface {
	net.Conn
	CloseRead() error
	CloseWrite() error
}

func listen(t *testing.T, network string) net.Listener {
	addr := "127.0.0.1:0"
	if network == "unix" {
		addr = filepath.Join(t.TempDir(), "s")
	}
	l, err := net.Listen(network, addr)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func pair(t *testing.T, network string) (c, s conn) {
	l := listen(t, network)
	defer l.Close()
	d, err := net.Dial(network, l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	a, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	return d.(conn), a.(conn)
}

// fails reports a result other than an OpError of op that wraps want.
func fails(t *testing.T, op string, err, want error) {
	t.Helper()
	e, ok := err.(*net.OpError)
	if !ok || e.Op != op || !errors.Is(err, want) || !strings.HasSuffix(err.Error(), want.Error()) {
		t.Errorf("%s: %v, want %v", op, err, want)
		return
	}
	_, errno := want.(syscall.Errno)
	if s, ok := e.Err.(*os.SyscallError); ok != errno || ok && s.Syscall != op {
		t.Errorf("%s: %#v", op, e.Err)
	}
}

func writes(t *testing.T, c net.Conn, want error) {
	t.Helper()
	n, err := c.Write([]byte("x"))
	if want != nil {
		fails(t, "write", err, want)
	} else if n != 1 || err != nil {
		t.Errorf("write: %d, %v", n, err)
	}
}

func reads(t *testing.T, c net.Conn, want error) {
	t.Helper()
	n, err := c.Read(make([]byte, 1))
	switch want {
	case nil:
		if n != 1 || err != nil {
			t.Errorf("read: %d, %v", n, err)
		}
	case io.EOF:
		if err != io.EOF {
			t.Errorf("read: %v, want EOF", err)
		}
	default:
		fails(t, "read", err, want)
	}
}

// pause lets the system's network deliver.
func pause() { time.Sleep(5 * time.Millisecond) }

func TestPeerClosed(t *testing.T) {
	c, s := pair(t, "tcp")
	s.Close()
	pause()
	writes(t, c, nil)
	pause()
	writes(t, c, syscall.EPIPE)
	writes(t, c, syscall.EPIPE)
	reads(t, c, io.EOF)
	if n, err := c.Read(nil); n != 0 || err != nil {
		t.Errorf("read nothing: %d, %v", n, err)
	}
	c.Close()
	c, s = pair(t, "unix")
	s.Close()
	writes(t, c, syscall.EPIPE)
	reads(t, c, io.EOF)
	c.Close()
}

func TestPeerClosedWithUnreadData(t *testing.T) {
	for network, written := range map[string]error{"tcp": syscall.ECONNRESET, "unix": syscall.EPIPE} {
		for _, first := range []string{"read", "write"} {
			c, s := pair(t, network)
			writes(t, c, nil)
			writes(t, s, nil)
			pause()
			s.Close()
			pause()
			if first == "read" {
				reads(t, c, nil)
				reads(t, c, syscall.ECONNRESET)
				reads(t, c, io.EOF)
				writes(t, c, syscall.EPIPE)
			} else {
				writes(t, c, written)
				writes(t, c, syscall.EPIPE)
				reads(t, c, nil)
				if network == "unix" {
					reads(t, c, syscall.ECONNRESET)
				}
				reads(t, c, io.EOF)
			}
			c.Close()
		}
		c, s := pair(t, network)
		writes(t, c, nil)
		pause()
		s.CloseWrite()
		pause()
		s.Close()
		pause()
		writes(t, c, syscall.EPIPE)
		if network == "unix" {
			reads(t, c, syscall.ECONNRESET)
		}
		reads(t, c, io.EOF)
		c.Close()
	}
}

func TestNeverAccepted(t *testing.T) {
	for _, network := range []string{"tcp", "unix"} {
		l := listen(t, network)
		c, err := net.Dial(network, l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		pause()
		reads(t, c, syscall.ECONNRESET)
		c.Close()
	}
}

func TestBlockedWriter(t *testing.T) {
	c, s := pair(t, "tcp")
	go func() {
		pause()
		s.Close()
	}()
	n, err := c.Write(make([]byte, 64<<20))
	if n == 64<<20 || !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE) {
		t.Errorf("write: %d, %v", n, err)
	}
	c.Close()
}

func TestShut(t *testing.T) {
	for _, network := range []string{"tcp", "unix"} {
		c, s := pair(t, network)
		c.CloseWrite()
		writes(t, c, syscall.EPIPE)
		reads(t, s, io.EOF)
		c.Close()
		s.Close()
		c, s = pair(t, network)
		writes(t, s, nil)
		pause()
		c.CloseRead()
		reads(t, c, nil)
		reads(t, c, io.EOF)
		if network == "unix" {
			writes(t, s, syscall.EPIPE)
		} else {
			writes(t, s, nil)
			pause()
			reads(t, c, nil)
		}
		c.Close()
		s.Close()
		c, s = pair(t, network)
		go func() {
			pause()
			c.CloseRead()
		}()
		reads(t, c, io.EOF)
		c.Close()
		s.Close()
	}
}

func TestClosed(t *testing.T) {
	for _, network := range []string{"tcp", "unix"} {
		c, s := pair(t, network)
		c.SetDeadline(time.Now().Add(time.Millisecond))
		pause()
		c.Close()
		fails(t, "close", c.Close(), net.ErrClosed)
		reads(t, c, net.ErrClosed)
		writes(t, c, net.ErrClosed)
		_, err := c.Read(nil)
		fails(t, "read", err, net.ErrClosed)
		fails(t, "close", c.CloseRead(), net.ErrClosed)
		fails(t, "close", c.CloseWrite(), net.ErrClosed)
		fails(t, "set", c.SetDeadline(time.Now()), net.ErrClosed)
		fails(t, "set", c.SetReadDeadline(time.Time{}), net.ErrClosed)
		fails(t, "set", c.SetWriteDeadline(time.Now()), net.ErrClosed)
		s.Close()
		l := listen(t, network)
		l.(interface{ SetDeadline(time.Time) error }).SetDeadline(time.Now().Add(time.Millisecond))
		pause()
		l.Close()
		_, err = l.Accept()
		fails(t, "accept", err, net.ErrClosed)
		fails(t, "close", l.Close(), net.ErrClosed)
		if err := l.(interface{ SetDeadline(time.Time) error }).SetDeadline(time.Now()); err != net.ErrClosed {
			t.Errorf("set: %v, want %v", err, net.ErrClosed)
		}
	}
	p, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p.SetDeadline(time.Now().Add(time.Millisecond))
	pause()
	p.Close()
	_, _, err = p.ReadFrom(make([]byte, 1))
	fails(t, "read", err, net.ErrClosed)
	_, err = p.WriteTo([]byte("x"), p.LocalAddr())
	fails(t, "write", err, net.ErrClosed)
	fails(t, "close", p.Close(), net.ErrClosed)
}

func TestExpired(t *testing.T) {
	c, s := pair(t, "tcp")
	s.Close()
	pause()
	c.SetReadDeadline(time.Now().Add(-time.Second))
	for range 3 {
		reads(t, c, os.ErrDeadlineExceeded)
	}
	c.SetReadDeadline(time.Time{})
	reads(t, c, io.EOF)
	c.Close()
}

func TestNothingWritten(t *testing.T) {
	c, s := pair(t, "tcp")
	if n, err := c.Write(nil); n != 0 || err != nil {
		t.Errorf("write nothing: %d, %v", n, err)
	}
	writes(t, c, nil)
	reads(t, s, nil)
	c.Close()
	s.Close()
}
`)
	if out, err := exec.CommandContext(t.Context(), "go", "test", ".").CombinedOutput(); err != nil {
		t.Errorf("with the system's network: %v\n%s", err, out)
	}
	testReports(t, []string{"schedules of 8 tests"}, 0, "-schedules=30", ".")
}

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
	testReports(t, []string{"\t21 schedules of 7 tests",
		"x TestZLimited: not explored: it waits more than 5s for a goroutine that a package has started at x_test.go:45\n"}, 0,
		"-schedules=3", "-explore-time=1m", ".")
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

// Goroutines that a package has started do not hold a lock when the next run restores it. What the test makes them do comes before or after its
// next operations, as the schedule determines.
func TestTest_LocksOfPackage(t *testing.T) {
	testFile(t, `package x

import (
	"sync"
	"testing"
)

type server struct {
	sync.RWMutex
	requests chan chan int
}

func newServer() *server {
	s := &server{requests: make(chan chan int)}
	go func() {
		for r := range s.requests {
			s.RLock()
			r <- 1
			s.RUnlock()
		}
	}()
	return s
}

var ok, wrong, writer = newServer(), newServer(), &server{requests: make(chan chan int)}

func init() {
	go func() {
		for r := range writer.requests {
			writer.Lock()
			r <- 1
			writer.Unlock()
		}
	}()
}

func TestOK(t *testing.T) {
	r := make(chan int)
	go func() { ok.requests <- r }()
	<-r
}

// The goroutine that the package has started may hold the lock until the test receives.
func TestReader(t *testing.T) {
	r := make(chan int)
	wrong.requests <- r
	wrong.Lock()
	wrong.Unlock()
	<-r
}

func TestWriter(t *testing.T) {
	r := make(chan int)
	writer.requests <- r
	writer.RLock()
	writer.RUnlock()
	<-r
}
`)
	for _, seed := range []string{"1", "2", "3"} {
		os.RemoveAll("testdata")
		out, status := testCommand(t.Context(), "-count=1", "-v", "-schedules=300", "-explore-seed="+seed, ".")
		for _, want := range []string{
			`--- PASS: TestOK `,
			`=== RUN   TestReader\n.*DEADLOCK: 1 goroutine is blocked .*\n.*waits to lock RWMutex wrong\S* at x_test.go:47`,
			`=== RUN   TestWriter\n.*DEADLOCK: 1 goroutine is blocked .*\n.*waits to read-lock RWMutex writer\S* at x_test.go:55`,
		} {
			if status != 1 || !regexp.MustCompile(want).MatchString(out) {
				t.Errorf("seed %s: status %d, %s is missing:\n%s", seed, status, want, out)
			}
		}
	}
	testReports(t, []string{"waits to lock RWMutex wrong"}, 1, "-run=Reader", "-schedule=testdata/macemc/TestReader/deadlock-1.path", ".")
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

// A run that ends while it holds a lock does not prevent the end of its process, where TestMain takes the lock.
func TestTest_LocksAtExit(t *testing.T) {
	testFile(t, `package x

import (
	"os"
	"sync"
	"testing"
)

var mu sync.Mutex

func record(what string) {
	f, err := os.OpenFile("processes", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		panic(err)
	}
	f.WriteString(what)
	f.Close()
}

func TestMain(m *testing.M) {
	record("b")
	code := m.Run()
	mu.Lock()
	record("e")
	os.Exit(code)
}

func either(end func()) {
	c := make(chan int, 1)
	go func() { c <- 1 }()
	mu.Lock()
	select {
	case <-c:
		end()
	default:
	}
	mu.Unlock()
	<-c
}

func TestPanic(t *testing.T) { either(func() { panic("early") }) }

func TestExit(t *testing.T) { either(func() { os.Exit(7) }) }
`)
	testReports(t, []string{"PANIC: early", "EXIT: os.Exit"}, 1, "-count=1", "-schedules=50", "-explore-time=1m", ".")
	processes, _ := os.ReadFile("processes")
	if begun, ended := strings.Count(string(processes), "b"), strings.Count(string(processes), "e"); begun < 5 || begun != ended {
		t.Errorf("%d processes have begun, %d of them have ended", begun, ended)
	}
}

// The goroutine that cgo keeps for threads of C does not prevent that variables are restored.
func TestTest_Cgo(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("needs a C compiler")
	}
	t.Setenv("CGO_ENABLED", "1")
	testFile(t, `package x

import (
	_ "net"
	"testing"
)

var state int

func TestState(t *testing.T) {
	if state != 0 {
		t.Error(state)
	}
	state++
}
`)
	out, status := testCommand(t.Context(), "-count=1", "-v", ".")
	if status != 0 || !strings.Contains(out, "complete: ") {
		t.Errorf("status %d:\n%s", status, out)
	}
}

// A goroutine that a package has started initializes it soon after the start, once for all runs.
func TestTest_InitializedSoon(t *testing.T) {
	testFile(t, `package x

import (
	"testing"
	"time"
)

var loaded = make(chan struct{})

func init() {
	go func() {
		time.Sleep(10 * time.Millisecond)
		close(loaded)
	}()
}

func TestLoaded(t *testing.T) { <-loaded }
`)
	out, status := testCommand(t.Context(), "-count=1", "-schedules=20", "-explore-time=1m", "-v", ".")
	if status != 0 || !strings.Contains(out, "complete: ") || strings.Contains(out, "earlier runs") {
		t.Errorf("status %d:\n%s", status, out)
	}
}

// A goroutine that holds a lock of the distribution when a panic of another one ends the run releases it before the next run.
func TestTest_LocksAfterPanic(t *testing.T) {
	testFile(t, `package x

import (
	"log"
	"testing"
)

func TestPanic(t *testing.T) {
	go func() { panic("early") }()
	t.Run("sub", func(*testing.T) {})
	log.Print("sub")
}
`)
	testReports(t, []string{"PANIC: early\n"}, 1, "-timeout=2m", "-schedules=50", ".")
}

// A run that is repeated to wait in real time for goroutines outside the test also waits for those that act for it.
func TestTest_ActsInRepetition(t *testing.T) {
	testFile(t, `package x

import (
	"os"
	"testing"
	"time"
)

var (
	unwritten *os.File
	log       = make(chan string)
)

func init() {
	var r *os.File
	r, unwritten, _ = os.Pipe()
	go r.Read(make([]byte, 1))
	go func() {
		for range log {
			time.Sleep(200 * time.Millisecond)
		}
	}()
}

func TestLate(t *testing.T) {
	time.Sleep(10 * time.Second)
	log <- "timeout"
	t.Error("timeout")
	time.Sleep(time.Second)
}
`)
	testReports(t, []string{"FAILED TEST: x_test.go:28: timeout\n    found by schedule 1 "}, 1, "-schedules=3", "-explore-time=1m", ".")
}

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
		for range time.Tick(200 * time.Millisecond) {
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

// Messages between a test and a goroutine that a package has started do not count as advances of the clock.
func TestTest_Exchanges(t *testing.T) {
	testFile(t, `package x

import (
	"testing"
	"time"
)

var c = make(chan int)

func init() {
	go func() {
		for {
			c <- 1 + <-c
		}
	}()
}

func TestMany(t *testing.T) {
	for range 200_000 {
		c <- 1
		<-c
	}
	time.Sleep(time.Millisecond)
}
`)
	testReports(t, []string{"\t1 schedule of 1 test"}, 0, "-schedules=1", ".")
}

// A goroutine that acts for a test after its end does not act for the next one. Its timer may wake any of them.
func TestTest_ActsForOther(t *testing.T) {
	testFile(t, `package x

import (
	"testing"
	"time"
)

var kick = make(chan int)

func init() {
	go func() {
		for range kick {
			time.Sleep(10 * time.Minute)
		}
	}()
	start()
}

func start() { time.AfterFunc(time.Hour, start) }

func TestKick(t *testing.T) {
	select {
	case kick <- 1:
	default:
	}
}

func TestOwn(t *testing.T) {
	c := make(chan int)
	go func() { c <- 1 }()
	<-c
}
`)
	const lasts = "x TestKick: not explored: it waits more than 5s for a goroutine that a package has started at x_test.go:11\n"
	testReports(t, []string{lasts, "\t3 schedules of 1 test"}, 0, "-timeout=1m", "-schedules=3", ".")
	testReports(t, []string{"; not complete: a goroutine that a package has started may act at any time\n"}, 0, "-v", "-exhaustive", "-run=TestOwn", ".")
}

// The log of a first run that is repeated is followed by a line about that.
func TestTest_RepeatedFirstRun(t *testing.T) {
	testFile(t, `package x

import (
	"sync"
	"testing"
	"time"
)

var (
	mu             sync.Mutex
	queue, flushed int
)

func init() {
	go func() {
		for {
			time.Sleep(200 * time.Millisecond)
			mu.Lock()
			flushed, queue = flushed+queue, 0
			mu.Unlock()
		}
	}()
}

func TestFlush(t *testing.T) {
	mu.Lock()
	queue++
	mu.Unlock()
	for range 100 {
		mu.Lock()
		f := flushed
		mu.Unlock()
		if f == 1 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("not flushed")
}
`)
	out, status := testCommand(t.Context(), "-count=1", "-schedules=3", "-explore-time=1m", "-v", ".")
	const want = ": not flushed\n    macemc: the run above is repeated, as it did not wait for a goroutine that a package has started\n"
	if status != 0 || strings.Count(out, "not flushed") != strings.Count(out, want) || !strings.Contains(out, want) {
		t.Errorf("status %d:\n%s", status, out)
	}
}

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

// A panic of a goroutine that a package has started ends the process, even between runs. The output has the test and the command that
// repeats the runs.
func TestTest_PanicsOutside(t *testing.T) {
	testFile(t, `package x

import "testing"

var requests = make(chan int)

func init() {
	go func() {
		last := 0
		for n := range requests {
			if 0 < n && n < last {
				panic("order")
			}
			last = n
		}
	}()
}

func TestFirst(t *testing.T) {}

func TestOrder(t *testing.T) {
	requests <- 0
	done := make(chan int)
	for n := 1; n <= 2; n++ {
		go func() {
			requests <- n
			done <- 1
		}()
	}
	<-done
	<-done
}
`)
	out, status := testCommand(t.Context(), "-count=1", "-explore-seed=3", ".")
	_, again, ok := strings.Cut(out, "macemc: a goroutine that a package has started ends the process during or after a run of TestOrder; to repeat: macemc test ")
	again, rest, _ := strings.Cut(again, "\n")
	if status != 1 || !ok || !strings.HasPrefix(again, "-run '^TestOrder$' -explore-seed 3 -schedules ") || !strings.Contains(rest, "panic: order") {
		t.Fatalf("status %d:\n%s", status, out)
	}
	repeated := false // the machine may preempt the goroutine of the package, which no schedule records
	for n := 0; n < 5 && !repeated; n++ {
		out, status = testCommand(t.Context(), strings.Fields(strings.ReplaceAll(again, "'", ""))...)
		repeated = status == 1 && strings.Contains(out, "panic: order")
	}
	if !repeated {
		t.Errorf("status %d:\n%s", status, out)
	}
	testFile(t, `package x

import (
	"testing"
	"time"
)

var requests = make(chan int)

func init() {
	go func() {
		<-requests
		time.Sleep(time.Millisecond)
		panic("late")
	}()
}

func TestLate(t *testing.T) { requests <- 1 }
`)
	testReports(t, []string{"a run of TestLate; to repeat: macemc test -run '^TestLate$'", "panic: late"}, 1, "-count=1", ".")
}

// Locks that goroutines of a package hold when a run begins or ends stay theirs, whatever other goroutines hold at their end. Others, even if
// they held them when the first run began, do not block the test.
func TestTest_LocksHeldOutside(t *testing.T) {
	testFile(t, `package x

import (
	"sync"
	"testing"
	"time"
)

var (
	mutex     sync.Mutex
	readWrite sync.RWMutex
	lockers   = []sync.Locker{&mutex, &readWrite, readWrite.RLocker()}
)

type tries struct {
	try    func() bool
	unlock func()
}

func (l tries) Lock() {
	for !l.try() {
		time.Sleep(time.Millisecond)
	}
}

func (l tries) Unlock() { l.unlock() }

func init() {
	for range 100 {
		done := make(chan bool)
		go func() {
			new(sync.Mutex).Lock()
			close(done)
		}()
		<-done
	}
	for _, l := range append(lockers, tries{mutex.TryLock, mutex.Unlock}, tries{readWrite.TryLock, readWrite.Unlock},
		tries{readWrite.TryRLock, readWrite.RUnlock}) {
		go func() {
			for {
				l.Lock()
				time.Sleep(2 * time.Millisecond)
				l.Unlock()
				time.Sleep(time.Millisecond)
			}
		}()
	}
}

func TestLocks(t *testing.T) {
	var wg sync.WaitGroup
	for _, l := range lockers {
		wg.Go(func() {
			l.Lock()
			l.Unlock()
		})
	}
	wg.Wait()
}

func TestNone(t *testing.T) {}
`)
	for _, seed := range []string{"1", "2", "3"} {
		testReports(t, []string{"\t400 schedules of 2 tests,"}, 0, "-schedules=200", "-explore-time=1m", "-explore-seed="+seed, ".")
	}
}

// Goroutines of a package get the locks that goroutines of an earlier run held at its end.
func TestTest_LocksOfDeadGoroutines(t *testing.T) {
	testFile(t, `package x

import (
	"sync"
	"testing"
)

var (
	mutex     sync.Mutex
	readWrite sync.RWMutex
	lockers   = []sync.Locker{&mutex, &readWrite, readWrite.RLocker()}
	requests  []chan bool
)

func init() {
	for _, l := range append(lockers, lockers...) {
		c := make(chan bool)
		requests = append(requests, c)
		go func() {
			for range c {
				l.Lock()
				l.Unlock()
			}
		}()
	}
}

func dies(t *testing.T, l sync.Locker) {
	c := make(chan int, 1)
	go func() { c <- 1 }()
	l.Lock()
	select {
	case <-c:
		for _, c := range requests {
			c <- true
		}
		panic("held")
	default:
	}
	l.Unlock()
	<-c
}

func TestMutex(t *testing.T)  { dies(t, lockers[0]) }
func TestWriter(t *testing.T) { dies(t, lockers[1]) }
func TestReader(t *testing.T) { dies(t, lockers[2]) }

func TestOK(t *testing.T) {
	for range 2 {
		for i, l := range lockers {
			l.Lock()
			l.Unlock()
			requests[i] <- true
		}
	}
}
`)
	out, status := testCommand(t.Context(), "-count=1", "-schedules=20", "-explore-time=1m", ".")
	if strings.Count(out, "PANIC: held") != 3 || strings.Contains(out, "DEADLOCK") || status != 1 {
		t.Errorf("status %d:\n%s", status, out)
	}
}

// A channel that an earlier run has made, of elements without pointers, does not keep the bubble of that run. No write barrier marks it when
// this run adopts the channel, after the bubble was collected and while the collector marks.
func TestTest_ChannelsOfEarlierRuns(t *testing.T) {
	testFile(t, `package x

import (
	"runtime"
	"runtime/debug"
	"testing"
)

var (
	keep = make(chan chan int)
	kept = make(chan []chan int)
)

func init() {
	go func() {
		var list []chan int
		for {
			select {
			case c := <-keep:
				list = append(list, c)
			case kept <- list:
			}
		}
	}()
}

func TestMakes(t *testing.T) {
	for range 10 {
		keep <- make(chan int, 1)
	}
}

type node struct {
	next *node
	rest [10]*node
}

func TestUses(t *testing.T) {
	debug.SetGCPercent(1)
	var list *node
	ping := make(chan bool)
	defer close(ping)
	go func() {
		for range ping {
		}
	}()
	work := func() {
		for range 100 {
			list.rest[0] = new(node)
		}
		ping <- true
	}
	for range 10_000 {
		list = &node{next: list}
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	for n, begun := 0, stats.NumGC; stats.NumGC < begun+3 && n < 1000; n++ {
		work()
		runtime.ReadMemStats(&stats)
	}
	for i, c := range <-kept {
		select {
		case c <- 1:
		case <-c:
		}
		if i%10 == 0 {
			work()
		}
	}
}
`)
	testReports(t, []string{"\t200 schedules of 2 tests"}, 0, "-count=1", "-schedules=100", "-explore-time=1h", ".")
}

// A test that reaches a server in another process is not explored. If there is no such server, it fails in every schedule.
func TestTest_OtherProcess(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	testFile(t, strings.ReplaceAll(`package x

import (
	"net"
	"net/http"
	"testing"
)

func TestBroker(t *testing.T) {
	c, err := net.Dial("tcp", "localhost:PORT")
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}

func TestHTTP(t *testing.T) {
	r, err := http.Get("http://127.0.0.1:1/")
	if err == nil {
		r.Body.Close()
		t.Fatal("answered")
	}
}
`, "PORT", strings.TrimPrefix(l.Addr().String(), "127.0.0.1:")))
	testReports(t, []string{"TestBroker: not explored: it reaches a socket outside of the run", "schedules of 1 test"}, 0, ".")
	l.Close()
	for _, seed := range []string{"1", "2", "3"} {
		testReports(t, []string{"macemc: FAILED TEST: x_test.go:12: dial tcp 127.0.0.1"}, 1, "-run=Broker", "-explore-seed="+seed, ".")
	}
}

// A test that sends datagrams to another process is not explored. Datagrams that nobody receives do not prevent that.
func TestTest_DatagramsToOtherProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	var ports []string
	for range 2 {
		l, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports = append(ports, strings.TrimPrefix(l.LocalAddr().String(), "127.0.0.1:"))
		if len(ports) == 2 {
			l.Close()
		}
	}
	u, err := net.ListenPacket("unixgram", path)
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	testFile(t, strings.NewReplacer("PORT", ports[0], "CLOSED", ports[1], "PATH", path).Replace(`package x

import (
	"net"
	"testing"
)

func dial(t *testing.T, network, to string) {
	c, err := net.Dial(network, to)
	if err != nil {
		t.Fatal(err)
	}
	c.Write([]byte("hello"))
	c.Close()
}

func send(t *testing.T, from, to string) {
	c, err := net.ListenPacket("udp", from)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := net.ResolveUDPAddr("udp", to)
	if _, err := c.WriteTo([]byte("hello"), a); err != nil {
		t.Error(err)
	}
	c.Close()
}

func TestDial(t *testing.T) { dial(t, "udp", "localhost:PORT") }

func TestSend(t *testing.T) { send(t, "127.0.0.1:0", "127.0.0.1:PORT") }

func TestSendFromAll(t *testing.T) { send(t, ":0", "127.0.0.1:PORT") }

func TestUnix(t *testing.T) { dial(t, "unixgram", "PATH") }

func TestNobody(t *testing.T) {
	go dial(t, "udp", "127.0.0.1:CLOSED")
	send(t, "127.0.0.1:0", "127.0.0.1:CLOSED")
}
`))
	testReports(t, []string{" TestDial, TestSend, TestSendFromAll and 1 more: not explored: each reaches a socket outside of the run",
		"schedules of 1 test"}, 0, ".")
}

// testFile makes a module with a test file, and its folder the working directory. It skips short tests, because the first one builds the
// standard library.
func testFile(t testing.TB, text string) {
	if testing.Short() {
		t.Skip("builds the standard library the first time")
	}
	t.Chdir(testFolder(t, text))
	leanBuilds(t)
}

// testFolder makes a module with a test file, and returns its folder.
func testFolder(t testing.TB, text string) string {
	dir := filepath.Join(t.TempDir(), "x")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{"go.mod": "module example.org/x\n\ngo 1.26\n", "x_test.go": text} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// testCommand executes "macemc test" in the working directory.
func testCommand(ctx context.Context, args ...string) (out string, status int) {
	return commandHere(ctx, append([]string{"test"}, args...)...)
}

// testReports executes "macemc test" in the working directory, and reports texts that its output lacks, and another status.
func testReports(t *testing.T, texts []string, status int, args ...string) {
	t.Helper()
	out, got := testCommand(t.Context(), args...)
	for _, want := range texts {
		if got != status || !strings.Contains(out, want) {
			t.Errorf("status %d, %q is missing:\n%s", got, want, out)
		}
	}
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
		"\n    the channel was closed in step 2: goroutine 1: closes c at x_test.go:16 in TestTwice\n"}, 1, ".")
	if out, status := commandHere(t.Context(), "graph", "last"); status != 0 || !strings.Contains(out, "closes c") || strings.Contains(out, "accesses atomic n") {
		t.Errorf("status %d, a run with steps after the panic:\n%s", status, out)
	}
}

// A goroutine is delayed for as long as -explore-delay says, also when its schedule is replayed.
func TestTest_Delay(t *testing.T) {
	testFile(t, `package x

import (
	"sync/atomic"
	"testing"
	"time"
)

func TestEarly(t *testing.T) {
	var ready atomic.Bool
	go ready.Store(true)
	time.Sleep(50 * time.Millisecond)
	if !ready.Load() {
		t.Error("not ready")
	}
}
`)
	testReports(t, []string{"; delays above 1ms are not tried (raise -explore-delay)\n"}, 0, "-v", "-schedules=200", ".")
	testReports(t, []string{"; delays above 10ms are not tried (raise -explore-delay)\n"}, 0, "-v", "-explore-delay=10ms", "-schedules=200", ".")
	testReports(t, []string{"FAILED TEST: x_test.go:14: not ready\n"}, 1, "-explore-delay=50ms", ".")
	if text, err := os.ReadFile("testdata/macemc/TestEarly/failed-test-1.path"); err != nil || !strings.Contains(string(text), "\ndelay 50ms\n") {
		t.Errorf("stored: %s, %v", text, err)
	}
	testReports(t, []string{"FAILED TEST: x_test.go:14: not ready\n"}, 1, "-schedule=last", ".")
}

// A timer fires before a goroutine that was preempted continues, although the one that has set it ended without a point in between.
func TestTest_DelayAfterEnd(t *testing.T) {
	testFile(t, `package x

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestGap(t *testing.T) {
	var x, y atomic.Int32
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for range 20 {
				y.Add(1)
			}
		})
	}
	wg.Wait()
	a, fired := make(chan bool, 1), make(chan bool)
	go func() {
		<-a
		time.AfterFunc(100*time.Microsecond, func() {
			if x.Load() == 0 {
				t.Error("early")
			}
			close(fired)
		})
	}()
	a <- true
	x.Store(1)
	<-fired
}
`)
	testReports(t, []string{"early", "found by schedule"}, 1, "-count=1", "-schedules=600", "-explore-time=1m", "-explore-seed=2", ".")
}

// The exhaustive exploration lets time pass before a goroutine that has not run yet sets a timer, and before a goroutine continues that was
// preempted before the timer was set. It says that longer delays are missing.
func TestTest_DelayExhaustive(t *testing.T) {
	testFile(t, `package x

import (
	"sync/atomic"
	"testing"
	"time"
)

func TestTwice(t *testing.T) {
	start := time.Now()
	c := make(chan int)
	go func() { c <- 1 }()
	late := time.NewTimer(3 * time.Millisecond)
	select {
	case <-c:
		later := time.NewTimer(3 * time.Millisecond)
		d := make(chan int)
		go func() { d <- 1 }()
		select {
		case <-d:
		case <-later.C:
			if time.Since(start) > 4*time.Millisecond {
				t.Error("both are late")
			}
			<-d
		}
	case <-late.C:
		<-c
	}
}

func TestPreempted(t *testing.T) {
	var v atomic.Int32
	go func() {
		v.Add(1)
		v.Add(1)
	}()
	if v.Load() == 1 {
		time.Sleep(3 * time.Millisecond)
		if v.Load() == 1 {
			t.Error("late")
		}
	}
}
`)
	const all = "complete: all orders, by "
	paused, twice := "-run=TestPreempted", "-run=TestTwice"
	testReports(t, []string{all, "and delays add up to at most 1ms "}, 0, "-v", "-exhaustive", paused, ".")
	testReports(t, []string{"FAILED TEST: x_test.go:41: late\n", "strategy exhaustive"}, 1, "-exhaustive", "-explore-delay=7ms", paused, ".")
	testReports(t, []string{"FAILED TEST: x_test.go:41: late\n"}, 1, "-schedule=last", ".")
	testReports(t, []string{all, " and delays add up to at most 5.999ms "}, 0, "-v", "-exhaustive", "-explore-delay=5999us", twice, ".")
	testReports(t, []string{"FAILED TEST: x_test.go:23: both are late\n", "strategy exhaustive"}, 1, "-exhaustive", "-explore-delay=7ms", twice, ".")
}

func commandHere(ctx context.Context, args ...string) (out string, status int) {
	var b bothStreams
	a := &app{Process: task.Process{Stdout: &b, Stderr: &b, Stdin: strings.NewReader(""), Program: "macemc", Front: front{}}}
	status = a.run(ctx, args)
	return b.text.String(), status
}

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
		`(?s)--- FAIL: TestLocks .*DEADLOCK: 3 goroutines are blocked and nothing can wake them\n.*goroutine 2 waits to lock Mutex b at explored_test.go:29 in TestLocks.func1, held by goroutine 3\n(?:[^\n]*\n){2,5}    found by [^\n]*; 1 (switch|pause) (more than|differs from) the default order[^\n]*\n      goroutine [^\n]*; the test passes without that\n`,
		`(?s)--- FAIL: TestAtomics .*FAILED TEST: explored_test.go:59: 2 and 1\n`,
		`(?s)--- FAIL: TestLeak .*LEAK: 1 goroutine is blocked and nothing can wake it, after the test has returned\n.*waits to send to channel c at explored_test.go:67`,
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
		`<h1 class="bad">DEADLOCK: 3 goroutines are blocked and nothing can wake them</h1>`, "<dt>at the end</dt><dd>goroutine 2 waits to lock Mutex b at",
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
	for _, want := range []string{"=== RUN   TestSubtests/sub/a#01\n", "    --- PASS: TestSubtests/sub#01 ", "explored_test.go:152: logged\n", "--- SKIP: TestSkipped", "--- PASS: Example", "no finding; about"} {
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

// Flags of go test do what they do there. What differs is said of schedules, and how long it took.
func TestTest_FlagsOfGoTest(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles 16 test binaries")
	}
	testFile(t, `package x

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

var own = flag.String("own", "", "")

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(m.Run())
}

func TestPass(t *testing.T) { t.Log("own is", *own) }

func TestTable(t *testing.T) {
	t.Log("begins")
	for _, name := range []string{"one", "two", "three"} {
		t.Run(name, func(t *testing.T) {
			t.Log("it is", name)
			if name == "two" && os.Getenv("BROKEN") != "" {
				t.Error("wrong\nin two lines")
			}
		})
	}
}

func TestSkipped(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	fmt.Println("printed")
}

func FuzzX(f *testing.F) {
	f.Add(1)
	f.Fuzz(func(*testing.T, int) {})
}

func BenchmarkX(b *testing.B) {
	for b.Loop() {
	}
}

func Example() {
	fmt.Println("hello")
	// Output: hello
}

func Example_order() {
	done := make(chan bool)
	for _, n := range []string{"a", "b"} {
		go func() { fmt.Println(n); done <- true }()
	}
	<-done
	<-done
	// Unordered output:
	// b
	// a
}
`)
	own := regexp.MustCompile(`(?m)^.*(=== NAME|macemc: |found by |replay: macemc|debug:  macemc|graph:  macemc).*\n|\t[\d,]+ schedules? of .*$|\\t[\d,]+ schedules? of [^\\]*`)
	times := regexp.MustCompile(`[\d.]+(s|s\)| ns/op)(\\n"})?$|"(Time|Elapsed)":[^,}]*|\([\d.]+s\)|/b\d+/x\.test|/go-build\d+|^Benchmark.*`)
	normal := func(out string) string {
		lines := strings.Split(own.ReplaceAllString(out, ""), "\n")
		for i := range lines {
			lines[i] = times.ReplaceAllString(lines[i], "")
		}
		return strings.Join(lines, "\n")
	}
	for _, c := range []struct{ broken, args string }{
		{"", ""}, {"", "-run TestTable/two -json"}, {"", "-skip TestTable -v -short -own=mine -shuffle 7"}, {"", "-list ."},
		{"", "-count=2 -v -fullpath -bench . -benchtime 1x -cpu 1,2"}, {"", "-coverprofile=cover.out -vet=printf -run Pass"}, {"1", "-json"}, {"1", "-failfast -v"},
	} {
		t.Setenv("BROKEN", c.broken)
		args := append([]string{"-count=1"}, strings.Fields(c.args)...)
		want, err := exec.Command("go", append([]string{"test"}, args...)...).CombinedOutput()
		wantStatus := 0
		if err != nil {
			wantStatus = 1
		}
		if out, status := testCommand(t.Context(), append(args, "-schedules=3")...); status != wantStatus || normal(out) != normal(string(want)) {
			t.Errorf("BROKEN=%s go test %s: status %d, %d with macemc\n%s\n%s", c.broken, c.args, wantStatus, status, normal(string(want)), normal(out))
		}
	}
}

// With the race detector, methods of atomic types are scheduling points, synctest.Wait orders what it waits for, accesses of memory do
// not take so much time that connections time out, and stacks that move cause no race. Neither a panic nor a timer hides a race, and the
// printed command replays a race from the folder of the user.
func TestTest_Race(t *testing.T) {
	t.Setenv("CGO_ENABLED", "1") // the race detector needs it
	testFile(t, `package x

import (
	"fmt"
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
		"--- FAIL: TestInt32", "--- FAIL: TestPointer", "--- PASS: TestWait", "--- PASS: TestHTTP", "--- PASS: TestStack", "--- PASS: TestPool",
		"--- PASS: TestTimers", `DATA RACE.*\n.* at x_test.go:\d+ in x.TestAfter\b`,
		`replay: macemc test -race -run '\^TestSubtests\$'`,
		`PANIC: close of nil channel\n.*\n\s+in goroutine \d+\n\s+before that, a data race:\n\s+(read|write) at x_test.go:`,
		`(?s)DATA RACE[^\n]*\n\s+write at x_test.go:\d+ in x.TestWaitGroup\n.*--- FAIL: TestWaitGroup `,
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

// A pool of a module returns a value of this run or a new one, as the schedule draws. Pools of the distribution have no values.
func TestTest_Pools(t *testing.T) {
	testFile(t, `package x

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
)

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func write(text string) *bytes.Buffer {
	b := buffers.Get().(*bytes.Buffer)
	b.Reset()
	b.WriteString(text)
	return b
}

func TestUsedAfterPut(t *testing.T) {
	done := make(chan bool)
	b := write("mine")
	buffers.Put(b)
	go func() {
		buffers.Put(write("other"))
		close(done)
	}()
	if got := b.String(); got != "mine" {
		t.Error("used after Put:", got)
	}
	<-done
}

var values sync.Pool

func TestDropped(t *testing.T) {
	if got := values.Get(); got != nil {
		t.Fatal("put by another run:", got)
	}
	values.Put(1)
	if values.Get() == nil {
		t.Error("dropped")
	}
}

func TestMethodValues(t *testing.T) {
	put, get := values.Put, values.Get
	put(1)
	if get() != nil {
		t.Error("returned")
	}
}

func TestOnce(t *testing.T) {
	var once sync.Once
	once.Do(func() { values.Put(1) })
	if values.Get() != nil {
		t.Error("was put once")
	}
}

func TestOKAlone(t *testing.T) {
	values.Put(1)
	values.Put(2)
	if a, b := values.Get(), values.Get(); a != nil && a == b {
		t.Error("returned twice:", a)
	}
	_ = fmt.Sprint(1)
}

func TestOKStandard(t *testing.T) { _ = fmt.Sprint(fmt.Sprint(1)) }
`)
	out, status := testCommand(t.Context(), "-count=1", "-v", "-schedules=300", "-exhaustive", ".")
	for _, want := range []string{
		`FAILED TEST: x_test.go:\d+: used after Put: other\n`, `FAILED TEST: x_test.go:\d+: dropped\n`,
		`FAILED TEST: x_test.go:\d+: returned\n`, `FAILED TEST: x_test.go:\d+: was put once\n`,
		`macemc: complete for the drawn values of pools: the only schedule .*\n--- PASS: TestOKAlone`,
		`macemc: complete: the only schedule .*\n--- PASS: TestOKStandard`,
	} {
		if status != 1 || !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("status %d, %q is missing:\n%s", status, want, out)
		}
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

type stopped struct{ stop chan bool }

func TestFinalizers(t *testing.T) {
	for range 3 {
		runtime.SetFinalizer(&stopped{make(chan bool, 1)}, func(s *stopped) { s.stop <- true })
	}
	runtime.GC()
}
`)
	testReports(t, []string{"--- PASS: TestLong", "TestLonger: not explored: it passes more than 5000000 scheduling points in a run\n", "--- PASS: TestBusy", "TestBusy: left after the test has returned: goroutine 2 ", "--- PASS: TestFinalizers"}, 0, "-count=1", "-v", "-vet=off", "-schedules=5", ".")
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
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 50_000 {
		kept = new([128]int)
		runtime.Gosched()
	}
	if runtime.ReadMemStats(&after); after.NumGC != before.NumGC {
		t.Error(after.NumGC-before.NumGC, "collections")
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
		"--- PASS: TestOKWorker", "TestOKWorker: left after the test has returned", "--- PASS: TestOKUnix", "--- PASS: TestOKCleanup", "TestOKCleanup: not explored: it adds cleanups to objects"} {
		if status != 1 || !strings.Contains(out, want) && !regexp.MustCompile("--- FAIL: Test"+want).MatchString(out) {
			t.Errorf("status %d, %q is missing:\n%s", status, want, out)
		}
	}
}

// Functions of package sync/atomic are scheduling points in packages of other modules of a workspace, also if the path of
// a module is the beginning of that of a package of the distribution, which stays as it is.
func TestTest_OtherModule(t *testing.T) {
	const text = `package x_test

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestLost(t *testing.T) {
	var n int64
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { atomic.StoreInt64(&n, atomic.LoadInt64(&n)+1) })
	}
	wg.Wait()
	if atomic.LoadInt64(&n) != 2 {
		t.Fatal("lost an update")
	}
}
`
	testFile(t, text)
	for file, text := range map[string]string{
		"../go.work": "go 1.26\n\nuse ./app\nuse ./x\nuse ./s\n", "../app/go.mod": "module example.org/app\n\ngo 1.26\n", "docs/page.md": "",
		"../s/go.mod": "module s\n\ngo 1.26\n", "../s/s_test.go": text,
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for dir, pkg := range map[string]string{".": ".", "../app": "example.org/x", "docs": "..", "../s": "."} {
		if out, status := testCommand(t.Context(), "-C", dir, "-count=1", "-exhaustive", pkg); status != 1 || !strings.Contains(out, "lost an update") {
			t.Errorf("%s in %s: status %d\n%s", pkg, dir, status, out)
		}
		os.RemoveAll("testdata")
	}
}

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

// A finding in a test that reads the environment is confirmed, minimized and replayed, although package testing logs that only in runs whose
// result the go command may cache.
func TestTest_Environment(t *testing.T) {
	testFile(t, `package env

import (
	"os"
	"sync"
	"testing"
)

var once sync.Once

func TestLost(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	n := 0
	for range 3 {
		wg.Go(func() {
			once.Do(func() { os.Getenv("HOME"); os.Stat("."); os.Getenv("PATH") })
			mu.Lock()
			v := n
			mu.Unlock()
			mu.Lock()
			n = v + 1
			mu.Unlock()
		})
	}
	if wg.Wait(); n != 3 {
		t.Error(n)
	}
}
`)
	for _, args := range [][]string{{"."}, {"-count=1", "."}, {}} {
		out, status := testCommand(t.Context(), args...)
		if status != 1 || !strings.Contains(out, "critical step: ") || strings.Contains(out, "in a new process") {
			t.Errorf("%v: status %d, want a finding with its critical step:\n%s", args, status, out)
		}
		for _, replay := range [][]string{{"-schedule=last", "."}, {"-schedule=last"}} {
			if out, status := testCommand(t.Context(), replay...); status != 1 {
				t.Errorf("%v after %v: status %d:\n%s", replay, args, status, out)
			}
		}
		os.RemoveAll("testdata")
	}
}

// A test that changes its process and deadlocks does not affect the storing of findings. What it leaves behind is undone before the next
// run, or the report says that the test fails when it runs a second time.
func TestTest_ChangesProcess(t *testing.T) {
	testFile(t, `package changes

import (
	"os"
	"os/signal"
	"runtime/debug"
	"testing"
	"time"
)

func deadlock() { <-make(chan int) }

func TestChdir(t *testing.T) {
	os.Chdir("/")
	t.Chdir(t.TempDir())
	deadlock()
}

func TestSetenv(t *testing.T) {
	t.Setenv("TMPDIR", "/nonexistent/folder")
	os.Clearenv()
	deadlock()
}

func TestZ(t *testing.T) { deadlock() }

func TestOKVariables(t *testing.T) {
	if os.Args[0] == "changed" || os.Stdin == nil || time.Local == time.UTC {
		t.Fatal("changed:", os.Args[0], os.Stdin, time.Local)
	}
	os.Args[0], os.Stdin, time.Local = "changed", nil, time.UTC
	go func() {}()
}

func TestOKOptions(t *testing.T) {
	if signal.Ignored(os.Interrupt) || debug.SetGCPercent(51) == 51 || debug.SetMemoryLimit(1<<40) == 1<<40 {
		t.Fatal("changed options of the runtime")
	}
	signal.Ignore(os.Interrupt)
	go func() {}()
}

func TestOKFile(t *testing.T) {
	f, err := os.OpenFile("left", os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	go func() {}()
}
`)
	out, status := testCommand(t.Context(), "-schedules=5", ".")
	for _, test := range []string{"TestChdir", "TestSetenv", "TestZ"} {
		file := filepath.Join("testdata", "macemc", test, "deadlock-1.path")
		if _, err := os.Stat(file); err != nil || status != 1 || !strings.Contains(out, "-schedule "+file) {
			t.Errorf("status %d, %s: %v\n%s", status, test, err, out)
		}
	}
	stored, _ := filepath.Glob("testdata/macemc/TestOK*/*")
	if len(stored) > 0 || strings.Contains(out, "TestOKVariables") || strings.Contains(out, "TestOKOptions") || !strings.Contains(out,
		"TestOKFile: it fails when it runs a second time, whatever the schedule: FAILED TEST: x_test.go:46: open left: file exists; its first run left") {
		t.Errorf("stored %v\n%s", stored, out)
	}
}

// A package is initialized with the same random numbers, clock and order of maps in every program, so that paths replay after other packages
// have changed.
func TestTest_Initialization(t *testing.T) {
	testFile(t, "package x\n")
	const test = `package x

import (
	"testing"
	"example.org/x/values"
	"example.org/x/EARLIER"
)

var _ = EARLIER.Drawn

func Test(t *testing.T) { t.Log("values:", values.Drawn) }
`
	drawn := func(pkg string) string {
		return "package " + pkg + `

import (
	crypto "crypto/rand"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"runtime"
	"time"
)

var Drawn = func() (all []any) {
	m := map[int]bool{}
	for i := range 100 {
		m[i] = true
	}
	for i := range m {
		all = append(all, i)
	}
	return append(all, crypto.Text(), rand.Int(), maphash.String(maphash.MakeSeed(), "x"), fmt.Sprint(time.Now()), runtime.NumCPU())
}()
`
	}
	for file, text := range map[string]string{
		"values/values.go": drawn("values"), "earlier/earlier.go": drawn("earlier"), "none/none.go": "package none\n\nconst Drawn = 0\n",
		"one/x_test.go": strings.ReplaceAll(test, "EARLIER", "none"), "two/x_test.go": strings.ReplaceAll(test, "EARLIER", "earlier"),
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	var all []string
	for _, args := range [][]string{{"./one"}, {"./two"}, {"-explore=false", "./one"}} {
		out, _ := testCommand(t.Context(), append([]string{"-v", "-count=1"}, args...)...)
		at := strings.Index(out, "values:")
		if at < 0 {
			t.Fatalf("%v:\n%s", args, out)
		}
		line, _, _ := strings.Cut(out[at:], "\n")
		if all = append(all, line); line != all[0] {
			t.Errorf("%v: got %s, want %s", args, line, all[0])
		}
	}
}

// A goroutine that a package has started answers a test, although the test waits before that goroutine has its turn.
func TestTest_GoroutineOfPackage(t *testing.T) {
	testFile(t, `package x

import (
	"sync"
	"testing"
	"time"
)

var requests = serve()

func serve() chan chan int {
	c := make(chan chan int)
	go func() {
		for r := range c {
			r <- 1
		}
	}()
	return c
}

func TestRequest(t *testing.T) {
	for range 2 {
		r := make(chan int)
		requests <- r
		<-r
	}
	r := make(chan int, 1)
	requests <- r
}

var flushed = flush()

func flush() chan int {
	c := make(chan int)
	go func() {
		for {
			time.Sleep(10 * time.Millisecond)
			c <- 1
		}
	}()
	return c
}

func TestFlush(t *testing.T) {
	<-flushed
	select {
	case <-flushed:
	case <-time.After(time.Second):
		t.Fatal("late")
	}
}

type server struct {
	mu                sync.Mutex
	cond              *sync.Cond
	requests, answers int
	tests             []string
}

var served = newServer()

func newServer() *server {
	s := new(server)
	s.cond = sync.NewCond(&s.mu)
	go func() {
		s.mu.Lock()
		for {
			for s.requests == 0 {
				s.cond.Wait()
			}
			s.requests--
			s.answers++
			s.cond.Broadcast()
		}
	}()
	return s
}

func TestCond(t *testing.T) {
	s := served
	s.mu.Lock()
	for range 2 {
		s.requests++
		s.cond.Broadcast()
		for s.answers == 0 {
			s.cond.Wait()
		}
		s.answers--
	}
	s.mu.Unlock()
	if s.tests = append(s.tests, "TestCond"); len(s.tests) != 1 {
		t.Error(s.tests)
	}
}

var (
	held sync.Mutex
	hold = holder()
)

func holder() chan bool {
	c := make(chan bool)
	go func() {
		for range c {
			held.Lock()
			c <- true
			time.Sleep(5 * time.Millisecond)
			held.Unlock()
		}
	}()
	return c
}

func TestHeld(t *testing.T) {
	hold <- true
	<-hold
	held.Lock()
	held.Unlock()
}

// The goroutine of the package may still answer.
func TestLate(t *testing.T) {
	r := make(chan int)
	late <- r
	go func() { <-r }()
}

var late = answerLate()

func answerLate() chan chan int {
	c := make(chan chan int)
	go func() {
		for r := range c {
			go func() {
				time.Sleep(time.Hour)
				r <- 1
			}()
		}
	}()
	return c
}

func TestRequestInTime(t *testing.T) {
	r := make(chan int)
	go func() { requests <- r }()
	select {
	case <-r:
	case <-time.After(time.Second):
		t.Fatal("late")
	}
}
`)
	for option, want := range map[string]string{"-explore-seed=1": "no finding", "-exhaustive": "not complete: it waits for something outside the test"} {
		out, status := testCommand(t.Context(), "-count=1", "-v", "-schedules=20", option, ".")
		if status != 0 || !strings.Contains(out, want) {
			t.Errorf("%s: status %d, want %s\n%s", option, status, want, out)
		}
	}
}

// Exploring ends before -timeout, also if runs are given up while they log a variable of the environment that they read.
func TestTest_EndsBeforeTimeout(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 5 s of CPU time")
	}
	testFile(t, `package env

import (
	"os"
	"sync"
	"testing"
)

func TestEnv(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 4 {
				mu.Lock()
				_ = os.Getenv("HOME")
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}
`)
	testReports(t, []string{"--- PASS: TestEnv", "stopped because -timeout is near"}, 0, "-v", "-exhaustive", "-timeout=6s", ".")
}

// A test that polls forever is reported with the limit that it exceeds, before the end of -timeout, and what takes long is announced.
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
		time.Sleep(time.Millisecond)
	}
}
`)
	testReports(t, []string{
		"macemc: example.org/x TestSleeps: a run advances the clock more than 100000 times; it is executed once without exploration, for at most 1m0s\n",
		"macemc: NO END: the test does not return within 100000 advances of the clock\n", "    not confirmed: -timeout is near\n",
	}, 1, "-timeout=8s", ".")
}

// Time passes when the clock is read, also for goroutines that do nothing else, and not in a test of package synctest.
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
	testReports(t, []string{"; delays above 1ms are not tried (raise -explore-delay)\n--- PASS: TestSleeps", "--- PASS: TestPasses", "--- PASS: TestFires", "--- PASS: TestSpins", "--- PASS: TestBubble"}, 0, "-count=1", "-v", "-vet=off", "-schedules=200", ".")
}

// A package whose TestMain changes the working directory, as many do. New processes begin where the first one did.
func TestTest_ChdirInMain(t *testing.T) {
	testFile(t, `package chdir

import (
	"os"
	"sync/atomic"
	"testing"
)

func TestMain(m *testing.M) {
	os.Chdir("..")
	os.Exit(m.Run())
}

func TestX(t *testing.T) {
	if _, err := os.Stat("chdir/x_test.go"); err != nil {
		t.Fatal(err)
	}
	var n atomic.Int32
	go n.Store(1)
	if n.Load() > 0 {
		t.Error("set")
	}
}
`)
	if err := os.Mkdir("chdir", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename("x_test.go", "chdir/x_test.go"); err != nil {
		t.Fatal(err)
	}
	const file = "chdir/testdata/macemc/TestX/failed-test-1.path"
	for range 2 {
		out, status := testCommand(t.Context(), "-schedules=200", "./chdir")
		if _, err := os.Stat(file); err != nil || status != 1 || !strings.Contains(out, "FAILED TEST: x_test.go:21: set\n") ||
			!strings.Contains(out, "-schedule "+file+" ") {
			t.Errorf("status %d, want a confirmed finding: %v\n%s", status, err, out)
		}
	}
}

// A goroutine ends when it has passed its last point, so not all numbers of goroutines are explored.
func TestTest_NumGoroutine(t *testing.T) {
	testFile(t, `package x

import (
	"runtime"
	"sync"
	"testing"
)

func TestNumber(t *testing.T) {
	base := runtime.NumGoroutine()
	var wg sync.WaitGroup
	wg.Add(1)
	go func() { wg.Done() }()
	wg.Wait()
	if n := runtime.NumGoroutine(); n > base {
		t.Error(n)
	}
}
`)
	out, status := testCommand(t.Context(), "-count=1", "-v", "-schedules=50", ".")
	if status != 0 || strings.Contains(out, "complete") {
		t.Errorf("status %d:\n%s", status, out)
	}
}

// Lists of goroutines do not show the checker, so leak detectors find nothing. Tests of finalizers and benchmarks run once, as their time
// is not virtual. Values that cannot be printed, or whose methods panic, lose no finding.
func TestTest_DumpsAndPanics(t *testing.T) {
	testFile(t, `package x

import (
	"runtime"
	"strings"
	"testing"
	"weak"
)

func TestStacks(t *testing.T) {
	done := make(chan bool)
	go func() { close(done) }()
	<-done
	list := make([]byte, 1<<20)
	list = list[:runtime.Stack(list, true)]
	for _, text := range strings.Split(string(list), "\n\n")[1:] {
		if !strings.Contains(text, "testing.(*T).Run(") {
			t.Errorf("also:\n%s", text)
		}
	}
}

type object struct{ stop chan bool }

func TestFinalizer(t *testing.T) {
	o := &object{make(chan bool)}
	stop := o.stop
	runtime.SetFinalizer(o, func(o *object) { close(o.stop) })
	o = nil
	runtime.GC()
	<-stop
}

func TestWeak(t *testing.T) {
	p := new([100]int)
	w := weak.Make(p)
	runtime.KeepAlive(p)
	if runtime.GC(); w.Value() != nil {
		t.Error("the object is kept")
	}
}

func TestBenchmark(t *testing.T) {
	testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
		}
	})
}

type cycle struct{ next map[string]any }

func TestCycle(t *testing.T) {
	c := cycle{map[string]any{}}
	c.next["next"] = c
	panic(c)
}

type failing struct{}

func (failing) Error() string { panic("no text") }

func TestFailing(t *testing.T) { panic(failing{}) }

type code struct{ A, B int }

func TestStruct(t *testing.T) { panic(code{1, 2}) }
`)
	testReports(t, []string{"--- PASS: TestStacks", "--- PASS: TestFinalizer", "TestFinalizer, TestWeak: not explored: each calls runtime.GC\n",
		"TestBenchmark: not explored: it runs a benchmark\n", "PANIC: a value of type x.cycle\n",
		"PANIC: fatal error: panic while printing panic value: no text\n", `PANIC: {1 2}
`,
	}, 1, "-count=1", "-v", "-schedules=20", "-benchtime=1x", ".")
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
		orders[i] = string(text)
		os.Remove("orders")
	}
	if orders[0] != orders[1] || strings.Count(orders[0], "\n") != 8 {
		t.Errorf("orders of two processes:\n%s\n%s", orders[0], orders[1])
	}
}
