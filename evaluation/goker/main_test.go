package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A kernel as in the Go distribution.
const source = `package main

import (
	"os"
	"runtime/pprof"
	"time"
)

func init() {
	register("Kernel1", Kernel1)
}

func start(done chan bool) {
	for i := 0; i < 100; i++ {
		go close(done)
	}
}

func Kernel1() {
	prof := pprof.Lookup("goroutineleak")
	defer func() {
		time.Sleep(1)
		prof.WriteTo(os.Stdout, 2)
	}()
	for i := 0; i <= 100; i++ {
		go start(nil)
	}
	for i := 0; i < 9; i++ {
	}
}
`

// folder returns a folder with files, by name.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestKernel_RemovesTheProfileAndCopies(t *testing.T) {
	file := filepath.Join(folder(t, map[string]string{"kernel.go": source}), "kernel.go")
	for _, single := range []bool{false, true} {
		loop := "i <= 100"
		if single {
			loop = "i < 1"
		}
		want := `package goker

import (
	"time"
)

func init() {
	register("Kernel1", Kernel1)
}

func start(done chan bool) {
	for i := 0; i < 100; i++ {
		go close(done)
	}
}

func Kernel1() {

	defer func() {
		time.Sleep(1)

	}()
	for i := 0; ` + loop + `; i++ {
		go start(nil)
	}
	for i := 0; i < 9; i++ {
	}
}
`
		text, names, err := kernel(file, single)
		if err != nil || string(text) != want || !slices.Equal(names, []string{"Kernel1"}) {
			t.Errorf("single %v: got %q, %v and\n%s\nwant Kernel1 and\n%s", single, names, err, text, want)
		}
	}
}

func TestBuild_WritesATestOfEachKernel(t *testing.T) {
	const second = "package main\n\nfunc init() { register(\"A\", nil); register(\"Z\", nil) }\n"
	from := folder(t, map[string]string{"main.go": "package main\n", "one.go": source, "two.go": second})
	to := t.TempDir()
	names, err := build(from, to, false)
	if want := []string{"A", "Kernel1", "Z"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("got %q, %v, want %q", names, err, want)
	}
	const want = `package goker

import "testing"

const yieldCount = 10

var cmds = map[string]func(){}

func register(name string, f func()) { cmds[name] = f }

func TestA(t *testing.T) { cmds["A"]() }

func TestKernel1(t *testing.T) { cmds["Kernel1"]() }

func TestZ(t *testing.T) { cmds["Z"]() }
`
	if got, err := os.ReadFile(filepath.Join(to, "goker_test.go")); err != nil || string(got) != want {
		t.Errorf("got %v and\n%s\nwant\n%s", err, got, want)
	}
	if _, err := os.Stat(filepath.Join(to, "main.go")); !os.IsNotExist(err) {
		t.Errorf("main.go: got %v, want no file", err)
	}
	if _, err := build(to+"/none", to, false); err == nil || err.Error() != to+"/none has no kernels" {
		t.Errorf("an empty folder: got error %v, want no kernels", err)
	}
}

func TestFindings_ReadsTheOutputOfTests(t *testing.T) {
	got := findings(`    found by schedule 9 (random)
--- FAIL: TestA (0.10s)
    macemc: LEAK: 1 goroutine
    found by schedule 3 (random)
--- FAIL: TestB (0.10s)
    macemc: GLOBAL DEADLOCK: all wait
    found by schedule 12 (predicted from schedule 1: cycle of 2 locks); 1 pause more than the default order
--- FAIL: TestC (0.10s)
    found by schedule 5 (random)
--- FAIL: TestD (0.10s)
    panic: without a schedule
ok  	example.org/goker
`)
	if want := map[string]finding{"A": {3, "leak"}, "B": {12, "global deadlock"}, "C": {5, ""}}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestTable_CountsKernelsFoundWithEverySeed(t *testing.T) {
	full := map[string][]finding{"A": {{1, "leak"}, {3, "deadlock"}}, "B": {{0, ""}, {7, "leak"}}}
	one := map[string][]finding{"A": {{2, "leak"}}, "B": {{0, ""}}}
	const want = `| kernel | all copies: found | by schedule | one copy: found | by schedule, median | worst | finding |
|---|--:|--:|--:|--:|--:|---|
| A | 2 of 2 | 3 | 1 of 1 | 2 | 2 | deadlock, leak |
| B | 1 of 2 | 7 | 0 of 1 | - | - | leak |

At most 50 schedules of each. With all copies 1 of 2 kernels were found with every seed, by schedule 7 at the latest. ` +
		"With one copy 1 were, the median is schedule 2 and the mean 2.0.\n"
	if got := table([]string{"A", "B"}, full, one, 50); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	list := []int{5, 1, 2}
	if got := [...]string{median(list), worst(list), mean(list), mean(nil)}; got != [...]string{"2", "5", "2.7", "0.0"} {
		t.Errorf("got median, worst and means %q, want 2, 5, 2.7 and 0.0", got)
	}
}

func TestWrite_ReplacesTheTableOfAPage(t *testing.T) {
	const with, without = "before\n<!-- goker -->\nold\n<!-- end of goker -->\nafter\n", "before\n<!-- goker -->\nafter\n"
	dir := folder(t, map[string]string{"with.md": with, "without.md": without})
	for name, want := range map[string]string{
		"with.md":    "before\n<!-- goker -->\nnew\n<!-- end of goker -->\nafter\n",
		"without.md": without,
	} {
		err := write(filepath.Join(dir, name), "new\n")
		if (err == nil) != (name == "with.md") {
			t.Errorf("%s: got error %v, want one without markers", name, err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, want)
		}
	}
}
