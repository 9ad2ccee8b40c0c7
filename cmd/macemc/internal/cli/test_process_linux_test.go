package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/explorer/summary"
)

// Signals that a test sends to its own process, memory that it maps, and what ends the process belong to a run.
func TestTest_Process(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library the first time")
	}
	leanBuilds(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/process")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	out, status := testCommand(t.Context(), "-count=1", "-schedules=300", "-v", ".")
	if status != 1 {
		t.Errorf("status %d", status)
	}
	for _, want := range []string{
		`--- PASS: TestMapped`,
		`PANIC: fatal error: fault\n      process_test.go:\d+  load\n      process_test.go:\d+  TestFault\n`,
		`--- PASS: TestRecovered`,
		`--- PASS: TestSleeps`,
		`EXIT: os.Exit\(3\) was called\n      process_test.go:\d+  TestExit\n`,
		`--- PASS: TestNotify`,
		`--- PASS: TestDelivered`,
		`--- PASS: TestStopWaits`,
		`--- PASS: TestOfPackage`,
		`--- PASS: TestContext`,
		`FAILED TEST: signals_test.go:\d+: 2 signals\n(?:      .*\n)*    found by schedule [2-9]`,
		`started by os/signal.raise, called at signals_test.go:20\n`,
		`EXIT: SIGTERM ended the process, which does not handle it\n      signals_test.go:20  send\n`,
		`EXIT: SIGKILL ended the process\n      signals_test.go:\d+  TestKill\n`,
		`TestOther: not explored: it sends a signal to another process\n`,
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("%s is missing", want)
		}
	}
	if n := strings.Count(out, "--- FAIL"); n != 5 || strings.Count(out, "replay: ") != n {
		t.Errorf("%d tests failed, want 5 with a schedule each", n)
	}
	if t.Failed() {
		t.Log(out)
	}
	replay := []string{"-count=1", "-run=^TestFault$", "-schedule=testdata/macemc/TestFault/panic-1.path", "."}
	testReports(t, []string{"PANIC: fatal error: fault\n", "replayed from "}, 1, replay...)
}

// A test that waits in a system call is not explored, unless the call returns at once.
func TestTest_SystemCallsThatWait(t *testing.T) {
	testFile(t, `package x

import (
	"syscall"
	"testing"
	"unsafe"
)

var soon = syscall.NsecToTimespec(1e6)

func call(t *testing.T, trap, a1, a2, a3, a4, a5 uintptr) {
	if _, _, err := syscall.Syscall6(trap, a1, a2, a3, a4, a5, 0); err != 0 && err != syscall.EINTR && err != syscall.ETIMEDOUT {
		t.Error(err)
	}
}

func epoll(t *testing.T, ms uintptr) {
	fd, err := syscall.EpollCreate1(0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	call(t, syscall.SYS_EPOLL_PWAIT, uintptr(fd), uintptr(unsafe.Pointer(new(syscall.EpollEvent))), 1, ms, 0)
}

func TestEpoll(t *testing.T)  { epoll(t, 1) }
func TestSelect(t *testing.T) { call(t, syscall.SYS_PSELECT6, 0, 0, 0, 0, uintptr(unsafe.Pointer(&soon))) }
func TestPoll(t *testing.T)   { call(t, syscall.SYS_PPOLL, 0, 0, uintptr(unsafe.Pointer(&soon)), 0, 0) }
func TestFutex(t *testing.T) {
	call(t, syscall.SYS_FUTEX, uintptr(unsafe.Pointer(new(uint32))), 0, 0, uintptr(unsafe.Pointer(&soon)), 0)
}
func TestTimer(t *testing.T) {
	fd, _, err := syscall.Syscall(syscall.SYS_TIMERFD_CREATE, 1, 0, 0)
	if err != 0 {
		t.Fatal(err)
	}
	syscall.Close(int(fd))
}

func TestPolls(t *testing.T) {
	epoll(t, 0)
	call(t, syscall.SYS_PPOLL, 0, 0, uintptr(unsafe.Pointer(new(syscall.Timespec))), 0, 0)
}

func TestReady(t *testing.T) {
	var p [2]int
	if err := syscall.Pipe(p[:]); err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(p[0])
	syscall.Close(p[1])
	list := []struct {
		fd            int32
		events, found int16
	}{{fd: int32(p[0]), events: 1}}
	call(t, syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&list[0])), 1, 0, 0, 0)
	if list[0].found == 0 {
		t.Error("nothing is ready")
	}
}
`)
	testReports(t, []string{"TestEpoll, TestFutex, TestPoll and 1 more: not explored: each waits by a system call\n",
		"TestTimer: not explored: it sets a timer of the system\n", "schedules of 2 tests"}, 0, "-count=1", "-schedules=10", "-v", ".")
}

// A test whose process dies outside of its runs is explored again, with each schedule in a process of its own.
func TestTest_ProcessDies(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library the first time")
	}
	leanBuilds(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/process")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	out, status := testCommand(t.Context(), "-count=1", "-schedules=100", "-skip=TestSkipped", "-junit=dies.xml", "./dies")
	for _, want := range []string{
		`macemc: a process died \(exit status 2\) while it explored TestRequests of example.org/process/dies; `,
		`--- FAIL: TestRequests .*\n    macemc: PANIC: request 1 comes first\n      dies_test.go:14  init.0.func1\n    found by schedule \d+ in a new process; 1 (switch|pause) `,
		`replay: macemc test -run '\^TestRequests\$' .*-schedule dies/testdata/macemc/TestRequests/panic-1.path example.org/process/dies\n`,
		`TestBehind: not explored: it is not executed, because the process died before\n`,
	} {
		if status != 1 || !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("status %d, %s is missing:\n%s", status, want, out)
		}
	}
	if strings.Contains(out, summary.EndedEarly) {
		t.Errorf("%q was examined:\n%s", summary.EndedEarly, out)
	}
	const skipped = `name="TestBehind" time="0.000">\s*<skipped message="not explored: `
	if text, err := os.ReadFile("dies.xml"); err != nil || !regexp.MustCompile(skipped).Match(text) {
		t.Errorf("%s is missing: %v\n%s", skipped, err, text)
	}
	out, _ = testCommand(t.Context(), "-count=1", "-json", "./dies")
	if !regexp.MustCompile(`"Action":"fail","Package":"example.org/process/dies","Test":"TestRequests"`).MatchString(out) {
		t.Errorf("no event of the failure:\n%s", out)
	}
	if !regexp.MustCompile(`"Action":"skip","Package":"example.org/process/dies","Test":"TestBehind"`).MatchString(out) {
		t.Errorf("no event of the test behind it:\n%s", out)
	}
	const file = "dies/testdata/macemc/TestRequests/panic-1.path"
	testReports(t, []string{"panic: request 1 comes first\n"}, 1, "-count=1", "-run=^TestRequests$", "-schedule="+file, "./dies")
	if out, status := commandHere(t.Context(), "graph", file); status == 0 || !strings.Contains(out, "the process of the test dies under this schedule") {
		t.Errorf("graph: status %d:\n%s", status, out)
	}
}

// A program of -exec that hides a test from its explorer makes nobody believe that it was explored. The result is not cached.
func TestTest_ProcessUnconnected(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library the first time")
	}
	leanBuilds(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/process")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for range 2 {
		testReports(t, []string{"/dies are not explored: the program of -exec closes descriptor "}, 0, "-exec=env -i", "-run=^$", "./dies")
	}
}

// A run that reads the time since the machine has started from a file is not explored. A test that fails in each schedule is not blamed if
// it passes without exploration.
func TestTest_TimeOfSystem(t *testing.T) {
	testFile(t, `package x

import (
	"os"
	"testing"
	"time"
)

func TestUptime(t *testing.T) {
	before, err := os.ReadFile("/proc/uptime")
	if err != nil {
		t.Skip(err)
	}
	time.Sleep(100 * time.Millisecond)
	if after, _ := os.ReadFile("/proc/uptime"); string(after) == string(before) {
		t.Error(string(after))
	}
}

func TestComputes(t *testing.T) {
	begin, x := time.Now(), 0
	for i := range 100_000_000 {
		x = x*3 + i ^ x
	}
	done := make(chan bool)
	go close(done)
	<-done
	if d := time.Since(begin); d < time.Millisecond || x == 1 {
		t.Error(d)
	}
}

func TestWrong(t *testing.T) {
	begin, done := time.Now(), make(chan bool)
	go close(done)
	<-done
	if d := time.Since(begin); d < time.Hour {
		t.Error(d)
	}
}
`)
	testReports(t, []string{
		"--- PASS: TestUptime ", "TestUptime: not explored: it reads a clock of the system\n", "--- PASS: TestComputes ",
		"TestComputes: not explored: it fails in each schedule, but not without exploration: ", "--- FAIL: TestWrong ", "found by schedule 1 (",
	}, 1, "-count=1", "-v", "-schedules=10", ".")
}

// Files that a run leaves in the folder for temporary files do not meet those of other tests, which draw the same numbers for names. Their
// removal is no data race.
func TestTest_LeftFiles(t *testing.T) {
	testFile(t, `package x

import (
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func create(t *testing.T) {
	for range 2 {
		go os.Mkdir(filepath.Join(os.TempDir(), fmt.Sprint("macemc-", rand.Uint64())), 0o700)
	}
	name := filepath.Join(os.TempDir(), fmt.Sprint("macemc-", rand.Uint64()))
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if err := os.MkdirAll(filepath.Join(name+".d", "a", "b"), 0o700); err != nil {
		t.Fatal(err)
	}
}

func TestA(t *testing.T) { create(t) }

func TestB(t *testing.T) { create(t) }

func written(t *testing.T) string {
	f, err := os.CreateTemp("", "macemc-")
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	return f.Name()
}

func TestRenamed(t *testing.T) {
	name := filepath.Join(os.TempDir(), "macemc-renamed")
	if _, err := os.Stat(name); err == nil {
		t.Error("of another run")
	}
	if err := os.Rename(written(t), name); err != nil {
		t.Error(err)
	}
}

func TestRelative(t *testing.T) {
	t.Chdir(os.TempDir())
	if err := os.Mkdir("macemc-relative", 0o700); err != nil {
		t.Error(err)
	}
}

// The files that it replaces remain, and so does a file that something else makes.
func TestKeeps(t *testing.T) {
	again, folder := filepath.Join(os.TempDir(), "again"), filepath.Join(os.TempDir(), "folder")
	os.Remove(again)
	if err := os.WriteFile(again, nil, 0o600); err != nil {
		t.Error(err)
	}
	if err := os.Rename(folder, folder+"-kept"); err != nil {
		t.Error(err)
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Error(err)
	}
	os.RemoveAll(folder)
	if err := os.Rename(folder+"-kept", folder); err != nil {
		t.Error(err)
	}
	if err := os.Rename(written(t), filepath.Join(os.TempDir(), "replaced")); err != nil {
		t.Error(err)
	}
	name := filepath.Join(os.TempDir(), "other")
	os.WriteFile(name, nil, 0o600)
	os.Remove(name)
	if fd, err := syscall.Open(name, syscall.O_CREAT, 0o600); err != nil || syscall.Close(fd) != nil {
		t.Error(err)
	}
}
`)
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	t.Setenv("CGO_ENABLED", "1")
	if err := os.Mkdir(filepath.Join(temporary, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"replaced", "again", "folder/file"} {
		if err := os.WriteFile(filepath.Join(temporary, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, race := range []string{"-race=false", "-race"} {
		testReports(t, []string{"--- PASS: TestA ", "--- PASS: TestB ", "--- PASS: TestRenamed ", "--- PASS: TestRelative ", "--- PASS: TestKeeps "}, 0,
			"-count=1", "-v", race, "-schedules=10", ".")
	}
	for pattern, want := range map[string]int{"macemc-*": 0, "replaced": 1, "again": 1, "folder*/*": 1, "other": 1} {
		if left, _ := filepath.Glob(filepath.Join(temporary, pattern)); len(left) != want {
			t.Errorf("%d files %s, want %d: %q", len(left), pattern, want, left)
		}
	}
}

// Processes that confirm findings do not remove the files of the first process, which removes them at its end.
func TestTest_FilesOfTestMain(t *testing.T) {
	testFile(t, `package x

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
)

func TestMain(m *testing.M) {
	os.Remove("new")
	os.RemoveAll("folder")
	must(os.Mkdir("folder", 0o700))
	for _, name := range []string{"file", "new", filepath.Join("folder", "file")} {
		must(os.WriteFile(name, []byte("test"), 0o600))
	}
	must(os.Rename("user", "kept"))
	must(os.WriteFile("user", []byte("test"), 0o600))
	drawn, err := os.MkdirTemp(".", "drawn")
	must(err)
	code := m.Run()
	must(os.Truncate("new", 0))
	must(os.WriteFile("file", nil, 0o600))
	must(os.Rename("kept", "user"))
	for _, name := range []string{"file", "new"} {
		must(os.Remove(name))
	}
	must(os.RemoveAll("folder"))
	must(os.Remove(drawn))
	os.Exit(code)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func TestA(t *testing.T) {
	var n atomic.Int32
	done := make(chan bool)
	go func() { n.Add(1); close(done) }()
	if n.Load() != 0 {
		t.Error("early")
	}
	<-done
}

func TestB(t *testing.T) {
	done := make(chan bool)
	go close(done)
	<-done
	for _, name := range []string{"file", "new", filepath.Join("folder", "file")} {
		if text, err := os.ReadFile(name); string(text) != "test" {
			t.Error(string(text), err)
		}
	}
}
`)
	if err := os.WriteFile("user", []byte("user"), 0o600); err != nil {
		t.Fatal(err)
	}
	testReports(t, []string{"--- FAIL: TestA ", "--- PASS: TestB "}, 1, "-count=1", "-v", "-schedules=10", ".")
	if left, err := os.ReadDir("."); err != nil || len(left) != 4 { // go.mod, testdata, user, x_test.go
		t.Errorf("left %v, %v", left, err)
	}
	if text, err := os.ReadFile("user"); string(text) != "user" {
		t.Errorf("got %q, %v", text, err)
	}
}

// A run whose rest is explored already goes on if it may have changed files, which its end may undo.
func TestTest_CutRuns(t *testing.T) {
	testFile(t, `package x

import (
	"os"
	"sync"
	"testing"
)

func TestConfig(t *testing.T) {
	if err := os.Rename("config", "kept"); err != nil {
		t.Fatal(err)
	}
	defer os.Rename("kept", "config")
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if err := os.WriteFile("config", []byte("test"), 0o600); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}
`)
	if err := os.WriteFile("config", []byte("user"), 0o600); err != nil {
		t.Fatal(err)
	}
	testReports(t, []string{"--- PASS: TestConfig ", "complete: all orders, by "}, 0, "-count=1", "-v", "-exhaustive", ".")
	if text, err := os.ReadFile("config"); string(text) != "user" {
		t.Errorf("got %q, %v", text, err)
	}
}

// If variables are too large to be restored, what they refer to stays in the folder for temporary files.
func TestTest_LeftFilesOfVariables(t *testing.T) {
	testFile(t, `package x

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

var (
	large  = make([]byte, 70<<20)
	once   sync.Once
	folder string
)

func TestFolder(t *testing.T) {
	large[0]++
	once.Do(func() { folder, _ = os.MkdirTemp("", "macemc-") })
	done := make(chan bool)
	go close(done)
	<-done
	if err := os.WriteFile(filepath.Join(folder, "file"), nil, 0o600); err != nil {
		t.Error(err)
	}
}
`)
	t.Setenv("TMPDIR", t.TempDir())
	testReports(t, []string{"--- PASS: TestFolder ", "macemc: 10 schedules "}, 0, "-count=1", "-v", "-schedules=10", ".")
}
