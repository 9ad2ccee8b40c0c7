package cli

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/testsched"
)

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
		if _, err := os.Stat(file); err != nil || status != 1 || !strings.Contains(out, file) {
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
	t.Setenv(testsched.VariableInstant, "946684800000000000") // that of processes that do not explore
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
	return append(all, crypto.Text(), rand.Int(), maphash.String(maphash.MakeSeed(), "x"), time.Now().UnixNano(), runtime.NumCPU())
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

// A finding that only a process shows in which the test has run before says so, and names what that run has changed.
func TestTest_OnlyLaterRuns(t *testing.T) {
	testFile(t, `package x

import (
	"math/rand/v2"
	"mime"
	"testing"
)

func TestRegistered(t *testing.T) {
	if mime.TypeByExtension(".late") == "" {
		mime.AddExtensionType(".late", "text/late")
	} else if rand.IntN(5) == 0 {
		t.Error("registered")
	}
}
`)
	out, status := testCommand(t.Context(), "-count=1", ".")
	const want = ` schedules? in new processes passed, so it may depend on what the test's first run in a process has changed: .*mime\.mimeTypes`
	if status != 1 || !regexp.MustCompile(want).MatchString(out) {
		t.Errorf("status %d:\n%s", status, out)
	}
}
