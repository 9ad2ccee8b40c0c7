package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// markKnown marks the stored findings below the working directory as known.
func markKnown(t *testing.T) {
	t.Helper()
	files, _ := filepath.Glob("testdata/macemc/*/*.path")
	subtests, _ := filepath.Glob("testdata/macemc/*/*/*.path")
	for _, file := range append(files, subtests...) {
		text, err := os.ReadFile(file)
		if err == nil && !strings.Contains(string(text), "\nknown ") {
			err = os.WriteFile(file, []byte(strings.Replace(string(text), "\n", "\nknown issue 12\n", 1)), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// testStatus executes "macemc test" in the working directory. The test ends unless the status is the wanted one.
func testStatus(t *testing.T, want int, args ...string) string {
	t.Helper()
	out, status := testCommand(t.Context(), args...)
	if status != want {
		t.Fatalf("%q: status %d, want %d:\n%s", args, status, want, out)
	}
	return out
}

// expect reports the texts that are missing in the output of a command.
func expect(t *testing.T, out string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !regexp.MustCompile("(?m)" + want).MatchString(out) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
}

// A test with a known finding is skipped if other schedules pass, whatever the seed and the format. A finding that is gone is fixed.
func TestTest_Known(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library the first time")
	}
	const text = `package x

import (
	"sync"
	"testing"
)

func TestLocks(t *testing.T) {
	var a, b sync.Mutex
	var wg sync.WaitGroup
	wg.Go(func() { a.Lock(); b.Lock(); b.Unlock(); a.Unlock() })
	wg.Go(func() { b.Lock(); a.Lock(); a.Unlock(); b.Unlock() })
	wg.Wait()
}

func TestFails(t *testing.T) {
	c := make(chan int, 2)
	go func() { c <- 1 }()
	go func() { c <- 2 }()
	t.Run("first", func(t *testing.T) {
		if n := <-c; n == 2 {
			t.Errorf("got %d", n)
		}
	})
}
`
	testFile(t, text)
	run := func(want int, args ...string) string {
		t.Helper()
		return testStatus(t, want, append(args, "-schedules=250", ".")...)
	}
	run(1)
	markKnown(t)
	const locks = `^macemc: example.org/x TestLocks: known: DEADLOCK: 3 goroutines are .*; in \d+ of \d+ schedules: issue 12 \(testdata/macemc/TestLocks/deadlock-1.path\)$`
	const fails = `^macemc: example.org/x TestFails: known: FAILED TEST: TestFails/first: x_test.go:22: got 2; in \d+ of \d+ schedules: issue 12 `
	for _, args := range [][]string{{}, {}, {"-explore-seed=7"}, {"-explore-seed=8", "-v"}, {"-exhaustive", "-v"}, {"-json"}} {
		out := run(0, args...)
		expect(t, out, locks, fails, `^macemc: 0 new, 2 known, 0 fixed$`)
		if strings.Contains(out, "FAIL:") || strings.Contains(out, "macemc: complete:") || strings.Contains(out, ", no finding") {
			t.Errorf("%q: an outcome better than what was covered:\n%s", args, out)
		}
		switch {
		case len(args) == 1 && args[0] == "-json":
			expect(t, out, `"Action":"skip","Package":"example.org/x","Test":"TestLocks"`, `"Output":"    macemc: known: DEADLOCK`)
		case len(args) == 2:
			expect(t, out, `--- SKIP: TestLocks`, `^    macemc: .* no new finding`, `^    macemc: known: DEADLOCK`)
		}
	}
	if out := run(0); !strings.Contains(out, "(cached)") && !strings.Contains(run(0), "(cached)") {
		t.Errorf("the result is not cached:\n%s", out)
	}
	expect(t, run(1, "-run=TestLocks", "-schedule=testdata/macemc/TestLocks/deadlock-1.path"), `waits to lock Mutex #\d at x_test.go:11`) // in full

	// A file of the package in place of the package has the same findings. No other schedule is stored.
	out, status := testCommand(t.Context(), "-schedules=250", "x_test.go")
	if files, err := filepath.Glob("testdata/macemc/*/*"); status != 0 || err != nil || len(files) != 2 {
		t.Errorf("status %d, %q, %v:\n%s", status, files, err, out)
	}
	expect(t, out, locks, fails, `^ok  \tcommand-line-arguments\t.* schedules of \d tests`)
	if out, status := testCommand(t.Context(), "-run=TestLocks", "-schedule=testdata/macemc/TestLocks/deadlock-1.path", "x_test.go"); status != 1 {
		t.Errorf("status %d:\n%s", status, out)
	}
	if err := os.WriteFile("y_test.go", []byte("//go:build ignore\n\n"+text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, status := testCommand(t.Context(), "y_test.go"); status != 2 || !strings.Contains(out, "y_test.go belongs to no package of a module here") {
		t.Errorf("status %d:\n%s", status, out)
	}
	os.Remove("y_test.go")

	mended := strings.Replace(text, "n == 2", "n == 3", 1)
	if err := os.WriteFile("x_test.go", []byte(mended), 0o600); err != nil {
		t.Fatal(err)
	}
	expect(t, run(0), locks, `^macemc: example.org/x TestFails: fixed: delete testdata/macemc/TestFails/failed-test-1.path$`, `^macemc: 0 new, 1 known, 1 fixed$`)

	file := "testdata/macemc/TestLocks/deadlock-1.path"
	stored, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append([]byte("\ufeff"), stored...), 0o600); err != nil {
		t.Fatal(err)
	}
	expect(t, run(2), file+`: line 1: a schedule begins with`, `0 known, 1 fixed`)
}

// A data race concerns its run alone: no later test, and no later finding.
func TestTest_KnownRace(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library with -race the first time")
	}
	t.Setenv("CGO_ENABLED", "1") // the race detector needs it
	testFile(t, `package x

import (
	"os"
	"sync"
	"testing"
)

func order(n int) (list []int) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { mu.Lock(); list = append(list, i); mu.Unlock() })
	}
	wg.Wait()
	return list
}

func TestMain(m *testing.M) {
	if os.Getenv("RACE") != "" {
		TestA(nil)
	}
	os.Exit(m.Run())
}

func TestA(t *testing.T) {
	n := 0
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { n++ })
	}
	wg.Wait()
}

func TestB(t *testing.T) {
	for i, v := range order(5) {
		if v != [...]int{3, 1, 4, 0, 2}[i] {
			return
		}
	}
	t.Error("order")
}

func TestSome(t *testing.T) {
	if order(2)[0] == 1 {
		TestA(t)
	}
}
`)
	run := func(want int, args ...string) string {
		t.Helper()
		return testStatus(t, want, append(args, ".")...)
	}
	expect(t, run(1, "-race", "-schedules=1000"), `^    macemc: FAILED TEST: x_test.go:41: order$`, `-schedule testdata/macemc/TestB/failed-test-1.path`)
	markKnown(t)
	for n := 0; ; n++ { // the accesses of a race, a read or a write, depend on the schedule
		out, status := testCommand(t.Context(), "-race", "-run=Some", "-schedules=300", ".")
		if status == 0 {
			expect(t, out, `^macemc: 0 new, \d+ known, 0 fixed$`)
			break
		}
		if n == 5 {
			t.Fatalf("status %d:\n%s", status, out)
		}
		markKnown(t)
	}
	files, _ := filepath.Glob("testdata/macemc/*/*.path")
	for _, file := range files {
		if text, err := os.ReadFile(file); err != nil || strings.Contains(string(text), "race detected") || !strings.Contains(string(text), "race true\n") {
			t.Errorf("%s: %v\n%s", file, err, text)
		}
	}
	t.Setenv("RACE", "before all tests")
	expect(t, run(1, "-count=1", "-race", "-run=Some", "-schedules=300"), `^WARNING: DATA RACE$`, `^testing: race detected outside of test execution$`, `^macemc: 0 new`)
	out := run(0, "-run=Some", "-schedules=300")
	expect(t, out, `^macemc: example.org/x TestSome: not looked for: testdata/macemc/TestSome/data-race-1.path needs -race$`, `0 known, 0 fixed, \d not looked for`)
	if strings.Contains(out, "delete") {
		t.Errorf("a race is fixed without -race:\n%s", out)
	}
	expect(t, run(0, "-run=Some", "-schedule=testdata/macemc/TestSome/data-race-1.path"), `not looked for: testdata/macemc/TestSome/data-race-1.path needs -race`)
}

// New processes execute the subtests that -run selects. A command that executes others does not read their findings.
func TestTest_KnownSubtest(t *testing.T) {
	testFile(t, `package x

import "testing"

func fails(t *testing.T) {
	c := make(chan int, 2)
	go func() { c <- 1 }()
	go func() { c <- 2 }()
	if <-c == 2 {
		t.Error("two is first")
	}
}

func TestX(t *testing.T) {
	t.Run("a", func(t *testing.T) { <-t.Context().Done() })
	t.Run("b", fails)
}
`)
	const found = `found by schedule \d+ \(.*\n(.*\n)*    replay: macemc test -run '\^TestX\$/\^b\$' -schedule testdata/macemc/TestX/b/failed-test-1.path example.org/x`
	for _, c := range []struct {
		run, want string
		status    int
	}{
		{"TestX/b", found, 1},
		{"TestX/none", `^ok  \texample.org/x\t`, 0},
		{"TestX/b", `^macemc: 0 new, 1 known, 0 fixed$`, 0},
	} {
		out, status := testCommand(t.Context(), "-run="+c.run, "-schedules=250", ".")
		if expect(t, out, c.want); status != c.status {
			t.Errorf("-run %s: status %d, want %d:\n%s", c.run, status, c.status, out)
		}
		markKnown(t)
	}
}

// A known finding does not hide one that differs from it in anything but noise.
func TestTest_KnownOther(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library the first time")
	}
	rows := []struct {
		name, before, after string
		isNew               bool
	}{
		{"Subtest", `sub(t, "old")`, `sub(t, "old"); sub(t, "new")`, true},
		{"OtherSubtest", `sub(t, "old")`, `sub(t, "new")`, true},
		{"Message", `t.Error("rounding is off")`, `t.Error("money lost")`, true},
		{"SecondMessage", `t.Error("rounding is off")`, `t.Error("rounding is off"); t.Error("money lost")`, true},
		{"NoMessage", `t.Error("rounding is off")`, `t.Error("rounding is off"); t.Fail()`, true},
		{"NoMessageTwice", `t.Fail()`, `if t.Name() != "" { /* lost */ t.Fail() }`, true},
		{"SecondLine", `t.Error("off\nby 1 cent")`, `t.Error("off\nby 1 euro")`, true},
		{"Leak", `t.Error("rounding is off")`, `t.Error("rounding is off"); go send()`, true},
		{"ThirdLeak", `go send()`, `go send(); go receive()`, true},
		{"OtherStart", `go send()`, `func() { go send() }()`, true},
		{"OtherPlace", `go wait(0)`, `go wait(1)`, true},
		{"OtherLine", `go twice(0)`, `go twice(1)`, true},
		{"Panic", `panic("first")`, `panic("second")`, true},
		{"PanicPlace", `fail("first")`, `panic("first")`, true},
		{"PanicMessage", `panic("first")`, `t.Error("money lost"); panic("first")`, true},
		{"Exit", `os.Exit(0)`, `t.Error("money lost"); os.Exit(0)`, true},
		{"ExitStatus", `os.Exit(0)`, `os.Exit(1)`, true},
		{"Kind", `t.Error("rounding is off")`, `panic("rounding is off")`, true},
		{"Interleaved", `logged(t, func() {})`, `logged(t, runtime.Gosched)`, false},
		{"Numbers", `noise := []any{-1, 0xc0000, "3.5ms", "1m2s", "goroutine 7", t.TempDir(), "7c9e6679-7425-40de-944b-e07fc1f90ae7"}` + "\n\tt.Error(noise...)",
			`noise := []any{25, 0xd00ff, "12µs", "1.5h", "goroutine 12", t.TempDir(), "0b2e8d8c-90d5-4f57-a9fa-0e2b8d8cfa11"}` + "\n\tt.Error(noise...)", false},
		{"Log", `t.Log("one")` + "\n\tequal(t, 1, 0)", `t.Log("two")` + "\n\tequal(t, 1, 0)\n\t" + `t.Log("three")`, false},
		{"Assertion", `equal(t, 1, 0)`, `equal(t, -5, 100)`, true},
		{"Often", "n := 1\n\tfor range n {\n\t\tequal(t, 1, 0)\n\t}", "n := 2\n\tfor range n {\n\t\tequal(t, 1, 0)\n\t}", true},
		{"OftenStuck", "n := 1\n\tfor range n {\n\t\tgo send()\n\t}", "n := 3\n\tfor range n {\n\t\tgo send()\n\t}", true},
		{"Moved", "go wait(1)", "\n\tgo wait(1)", false},
	}
	file := func(shift string, body func(i int) string) string {
		text := "package x\n\nimport (\n\t\"os\"\n\t\"runtime\"\n\t\"testing\"\n)\n" + shift + `
var _, _ = os.Args, runtime.Gosched

func equal(t *testing.T, got, want int) {
	t.Helper()
	if got != want {
		t.Errorf("got %d, want %d", got, want)
	}
}

func sub(t *testing.T, name string) { t.Run(name, func(t *testing.T) { t.Error("bad") }) }
func fail(text string)              { panic(text) }
func send()                         { make(chan int) <- 1 }
func receive()                      { <-make(chan int) }

func wait(n int) {
	c := make(chan int)
	if n == 0 {
		c <- 1
	}
	c <- 2
}

func twice(n int) {
	c := make(chan int)
	if n == 0 {
		c <- 1
	}
	c <- 1
}

// logged makes one goroutine fail after another one has logged.
func logged(t *testing.T, f func()) {
	done := make(chan bool)
	go func() { f(); t.Error("rounding is off"); done <- true }()
	go func() { t.Log("lost"); f(); t.Fail(); done <- true }()
	<-done
	<-done
}
`
		for i, r := range rows {
			text += fmt.Sprintf("\nfunc Test%s(t *testing.T) {\n\t%s\n}\n", r.name, body(i))
		}
		return text
	}
	testFile(t, file("", func(i int) string { return rows[i].before }))
	run := func(want int, args ...string) string {
		t.Helper()
		return testStatus(t, want, append(args, "-schedules=20", ".")...)
	}
	run(1)
	markKnown(t)
	for _, args := range [][]string{{}, {"-v", "-explore-seed=9"}, {"-json"}} {
		expect(t, run(3, args...), fmt.Sprintf(`^macemc: 0 new, %d known, 0 fixed$`, len(rows)))
	}
	if err := os.WriteFile("x_test.go", []byte(file("\n// A comment.\n", func(i int) string { return rows[i].after })), 0o600); err != nil {
		t.Fatal(err)
	}
	out := run(1)
	for _, r := range rows {
		known := strings.Contains(out, "macemc: example.org/x Test"+r.name+": known, and nothing else could be looked at: ")
		if stored, _ := filepath.Glob("testdata/macemc/Test" + r.name + "/*.path"); known == r.isNew || (len(stored) == 2) != r.isNew {
			t.Errorf("%s: known %t, %d findings stored, want a new one: %t", r.name, known, len(stored), r.isNew)
		}
	}
	if t.Failed() {
		t.Log(out)
	}
}
