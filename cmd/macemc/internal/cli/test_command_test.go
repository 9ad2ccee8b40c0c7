package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

// A program of the user that starts test binaries starts each process of an exploration.
func TestTest_Exec(t *testing.T) {
	testFile(t, `package x

import "testing"

func TestX(t *testing.T) {
	c := make(chan int, 2)
	go func() { c <- 1 }()
	go func() { c <- 2 }()
	if n := <-c; n == 2 {
		t.Errorf("got %d", n)
	}
}
`)
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(here, "start it")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho x >> starts\nexec \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	testReports(t, []string{"FAILED TEST: x_test.go:10: got 2\n"}, 1, "-exec", "'"+program+"'", ".")
	if text, err := os.ReadFile("starts"); err != nil || strings.Count(string(text), "x") < 3 {
		t.Errorf("starts: %q, %v, want that of the binary and of processes that confirm the finding", text, err)
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

// building matches announcements of builds of tests, which only slow machines show.
var building = regexp.MustCompile(`(?m)^macemc: building (the tests of|the test without|and executing) .*\n`)

// commandHere executes a command. The output has no announcements of builds.
func commandHere(ctx context.Context, args ...string) (out string, status int) {
	var b bothStreams
	a := &app{Process: task.Process{Stdout: &b, Stderr: &b, Stdin: strings.NewReader(""), Program: "macemc", Screen: showScreen}}
	status = a.run(ctx, args)
	return building.ReplaceAllString(b.text.String(), ""), status
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
		} else {
			_, replay, _ := strings.Cut(out, "replay: macemc test ")
			replay, _, _ = strings.Cut(strings.ReplaceAll(replay, "'", ""), "\n")
			if out, status := testCommand(t.Context(), strings.Fields(replay)...); status != 1 || !strings.Contains(out, "replayed from") {
				t.Errorf("%s in %s: %s: status %d\n%s", pkg, dir, replay, status, out)
			}
		}
		os.RemoveAll("testdata")
	}
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
