package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// testPackages makes a module with one test file in each package, by folder, and changes to its folder.
func testPackages(t *testing.T, packages map[string]string) {
	t.Helper()
	testFile(t, "package x\n")
	for name, text := range packages {
		err := os.MkdirAll(name, 0o755)
		if err == nil {
			err = os.WriteFile(filepath.Join(name, "x_test.go"), []byte("package "+name+"\n"+text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// countingServer is a server that loses counts, and a test that finds out.
const countingServer = `
type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	c.n = n + 1
	c.mu.Unlock()
}

var (
	url   string
	count counter
)

func counting(t *testing.T) {
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			r, err := http.Get(url)
			if err != nil {
				t.Error(err)
				return
			}
			r.Body.Close()
		})
	}
	wg.Wait()
	if count.n != 2 {
		t.Errorf("%d counts", count.n)
	}
}
`

// With -race, runs of tests that use a server of TestMain have no race between TestMain, which parses flags, and what observes the run.
func TestTest_MainRace(t *testing.T) {
	testFile(t, `package x

import (
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
)

var server *httptest.Server

func TestMain(m *testing.M) {
	server = httptest.NewServer(http.NotFoundHandler())
	code := m.Run()
	server.Close()
	os.Exit(code)
}

func TestGet(t *testing.T) {
	r, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
}
`)
	t.Setenv("CGO_ENABLED", "1")
	testReports(t, []string{"20 schedules of 1 test"}, 0, "-race", "-schedules=20", ".")
}

// Runs of tests that use what TestMain has started begin in TestMain. Others, and those that cannot be explored, are executed as ever.
func TestTest_Main(t *testing.T) {
	testPackages(t, map[string]string{"server": `
import (
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"sync"
	"testing"
)

var size = flag.Int("size", 0, "")

func init() { http.HandleFunc("/", count.ServeHTTP) } // twice would panic

func TestMain(m *testing.M) {
	flag.Parse()
	if *size != 3 {
		fmt.Println("the size is", *size)
		os.Exit(1)
	}
	s := httptest.NewServer(nil)
	url = s.URL
	defer panic("os.Exit does not execute deferred functions")
	code := m.Run()
	s.Close()
	os.Exit(code)
}
` + countingServer + `
func TestCounting(t *testing.T) { counting(t) }

func TestAlone(t *testing.T) { go func() {}() }

func TestProcess(t *testing.T) {
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if err := exec.Command("true").Run(); err != nil {
		t.Error(err)
	}
}

func TestMixed(t *testing.T) {
	t.Run("alone", func(t *testing.T) {
		var wg sync.WaitGroup
		wg.Go(func() {})
		wg.Wait()
	})
	t.Run("process", TestProcess)
	t.Run("server", func(t *testing.T) {
		r, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
	})
}

func TestParts(t *testing.T) {
	for _, name := range []string{"one", "two"} {
		t.Run(name, func(t *testing.T) {
			r, err := http.Get(url)
			if err != nil {
				t.Fatal(err)
			}
			r.Body.Close()
		})
	}
}
`})
	out, status := testCommand(t.Context(), "-schedules=30", "./server", "-args", "-size=3")
	if status != 1 || strings.Count(out, "--- FAIL") != 1 || strings.Contains(out, "PASS") {
		t.Errorf("status %d:\n%s", status, out)
	}
	expect(t, out, "FAILED TEST: x_test.go:.*: 1 counts", "critical step: ", "of 6 tests",
		"macemc: example.org/x/server TestMixed/process, TestProcess: not explored: each starts a process")
	const file = "server/testdata/macemc/TestCounting/failed-test-1.path"
	testReports(t, []string{"1 counts", "replayed from "}, 1, "-run=^TestCounting$", "-schedule="+file, "./server", "-args", "-size=3")
	out, status = commandHere(t.Context(), "mdb", file, "--batch", "-x", "end")
	if status != 0 || !strings.Contains(out, "1 counts") {
		t.Errorf("status %d:\n%s", status, out)
	}
	out, status = testCommand(t.Context(), "-v", "-schedules=30", "-run=TestParts/one", "./server", "-args", "-size=3")
	if status != 0 || !strings.Contains(out, "--- PASS: TestParts/one") || strings.Contains(out, "two") {
		t.Errorf("status %d:\n%s", status, out)
	}
}

// What TestMain does after the tests belongs to the run. Goroutines that packages or TestMain have started may remain.
func TestTest_MainTeardown(t *testing.T) {
	const start = `
import (
	"fmt"
	"net"
	"os"
	"sync"
	"testing"
	"time"
)

var _ = sync.Mutex{}
var _ = fmt.Sprint
var _ = time.Second
var _ = os.Exit

var (
	ended  = make(chan bool)
	timer  = time.NewTimer(time.Hour) // tests cannot reset one that was made outside of them
	opened int
)

func init() {
	go func() { <-make(chan int) }()
}

func listen() net.Listener {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		panic(err)
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go c.Close()
		}
	}()
	return l
}

func TestTimer(t *testing.T) {
	timer.Reset(time.Second)
	<-timer.C
	if opened++; opened != 1 {
		t.Error("the second run")
	}
	go func() { opened = 5 }()
}
`
	testPackages(t, map[string]string{
		"passes": start + `
func TestMain(m *testing.M) {
	listen()
	m.Run()
}
`,
		"blocks": start + `
func TestMain(m *testing.M) {
	l := listen()
	m.Run()
	l.Close()
	if opened == 5 {
		<-ended
	}
}
`,
		"exits": start + `
func TestMain(m *testing.M) {
	if m.Run() == 0 && opened == 5 {
		os.Exit(1)
	}
}
`,
		"panics": start + `
func TestMain(m *testing.M) {
	m.Run()
	if opened == 5 {
		panic("five")
	}
}
`,
		"process": start + `
func TestMain(m *testing.M) {
	p, err := os.StartProcess("/bin/true", []string{"true"}, new(os.ProcAttr))
	if err != nil {
		panic(err)
	}
	p.Wait()
	m.Run()
}
`,
	})
	out, status := testCommand(t.Context(), "-schedules=40", "./...")
	if n := strings.Count(out, "--- FAIL"); status != 1 || n != 3 {
		t.Errorf("status %d, %d findings, want 3:\n%s", status, n, out)
	}
	expect(t, out, "ok  \texample.org/x/passes\t.*40 schedules of 1 test", "ok  \texample.org/x/process", "goroutine 1 waits to receive from channel `ended` at",
		"EXIT: os.Exit.1. was called", "PANIC: five", "macemc: example.org/x/process TestTimer: not explored: it starts a process")
}

// A TestMain that checks what the tests have left judges an execution without exploration, which restores no variables.
func TestTest_MainChecks(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library the first time")
	}
	const tests = `
import (
	"os"
	"testing"
)

var used int

func TestA(t *testing.T) { used++ }

func TestB(t *testing.T) { used++ }

func TestMain(m *testing.M) {
	code := m.Run()
`
	testPackages(t, map[string]string{
		"passes": tests + "\tif used != 2 {\n\t\tcode = 3\n\t}\n\tos.Exit(code)\n}\n",
		"fails":  tests + "\tif used > 0 {\n\t\tcode = 3\n\t}\n\tos.Exit(code)\n}\n",
	})
	out, status := testCommand(t.Context(), "./...")
	if status != 1 || strings.Count(out, "macemc: TestMain ends with status 3 although all tests pass; they are executed once") != 1 {
		t.Errorf("status %d:\n%s", status, out)
	}
	expect(t, out, "ok  \texample.org/x/passes\t.*8 schedules of 2 tests", "FAIL\texample.org/x/fails\t",
		"macemc: example.org/x/passes TestMain: not explored: it fails after the exploration, although all tests pass, and not without exploration\n")
	if strings.Contains(out, "x/fails TestMain: not explored") {
		t.Error(out)
	}
}

// Nothing that a run undoes is hidden from TestMain: goroutines end with their run, and variables are restored. If nothing is undone, the tests
// are executed no further time.
func TestTest_MainChecksWhatRunsUndo(t *testing.T) {
	const tests = `
import (
	"fmt"
	"os"
	"runtime"
	"testing"
)

var (
	quit     = make(chan bool)
	problems int
)

func TestNothing(t *testing.T) {
	done := make(chan bool)
	go close(done)
	<-done
}
`
	const leaves = `
func TestLeaves(t *testing.T) {
	done := make(chan bool)
	go func() { close(done); <-quit }()
	<-done
}
`
	const changes = `
func TestChanges(t *testing.T) { problems++ }
`
	const checks = `
func TestMain(m *testing.M) {
	f, _ := os.OpenFile("processes", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	fmt.Fprintln(f, "process")
	f.Close()
	before := runtime.NumGoroutine()
	m.Run()
	if n := runtime.NumGoroutine() - before; n > 0 || problems > 0 {
		fmt.Println("goroutines:", n, "problems:", problems)
		os.Exit(3)
	}
}
`
	testPackages(t, map[string]string{"clean": tests + checks, "goroutines": tests + leaves + checks, "variables": tests + changes + leaves + checks})
	out, status := testCommand(t.Context(), "-count=1", "-schedules=4", "./...")
	if status != 1 || strings.Count(out, "macemc: TestMain ends with status 3 when the tests are executed without exploration") != 2 {
		t.Errorf("status %d:\n%s", status, out)
	}
	expect(t, out, "ok  \texample.org/x/clean\t", "FAIL\texample.org/x/goroutines\t", "FAIL\texample.org/x/variables\t",
		"goroutines: 1 problems: 0\n", "goroutines: 1 problems: 1\n")
	for name, want := range map[string]int{"clean": 1, "goroutines": 2} {
		if text, err := os.ReadFile(filepath.Join(name, "processes")); err != nil || strings.Count(string(text), "process") != want {
			t.Errorf("%s: %v, processes %q, want %d", name, err, text, want)
		}
	}
}
