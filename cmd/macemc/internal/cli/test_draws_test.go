package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

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
		t.Error("received")
	case a <- 1:
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
		"critical step: 2 of 2; ", "step 2: goroutine 1: receives from `b` in a select with 2 ready cases at x_test.go:8 in TestAlone\n",
		"critical step: 7 of 8; ", "step 7: goroutine 2: receives from `quit` in a select with 2 ready cases at x_test.go:20 in TestWorker.func1\n",
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
	testReports(t, []string{"critical step: 2 of 2; ", "takes another ready case in step 2 ", "critical step: 7 of 8; "}, 1, "-count=1", "-exhaustive", ".")
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
	for i := range 24 {
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
	if took[0] != 'D' {
		t.Errorf("took %s", took)
	}
}
`)
	seen := map[string]bool{}
	for _, seed := range []string{"1", "2", "3"} {
		if err := os.RemoveAll("testdata"); err != nil {
			t.Fatal(err)
		}
		out, status := testCommand(t.Context(), "-count=1", "-explore-seed="+seed, ".")
		took := regexp.MustCompile(`FAILED TEST: .*: took ([A-Za-e]{24})\n`).FindStringSubmatch(out)
		if status != 1 || took == nil {
			t.Fatalf("status %d:\n%s", status, out)
		}
		steps, _ := commandHere(t.Context(), "mdb", "testdata/macemc/TestTook/failed-test-1.path", "--batch", "-x", "steps /in a select/")
		named := ""
		for _, m := range regexp.MustCompile("(receives from|sends to) `([a-e])`(?: #[0-9]+)? in a select").FindAllStringSubmatch(steps, -1) {
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

// The trace also names the case that a select takes if the schedule picks one that is not ready, or that does not exist.
func TestTest_UnfitCases(t *testing.T) {
	testFile(t, `package x

import "testing"

func TestTook(t *testing.T) {
	a, b, c := make(chan int), make(chan int, 1), make(chan int, 1)
	b <- 1
	c <- 1
	select {
	case <-a:
	case <-b:
	case <-c:
		t.Error("c")
	}
}
`)
	testReports(t, []string{"found by schedule"}, 1, "-count=1", ".")
	const file, picksC = "testdata/macemc/TestTook/failed-test-1.path", " to 2\n"
	stored, _ := os.ReadFile(file)
	for picked, want := range map[string]string{picksC: "c", " to 4\n": "b", " to 9\n": "c"} {
		if !strings.Contains(string(stored), picksC) {
			t.Fatalf("%s", stored)
		}
		os.WriteFile(file, []byte(strings.Replace(string(stored), picksC, picked, 1)), 0o666)
		if out, _ := commandHere(t.Context(), "graph", file); !strings.Contains(out, "receives from `"+want+"` in a select with 2 ready cases") {
			t.Errorf("%q: no step takes %s\n%s", picked, want, out)
		}
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
	for _, want := range []string{"--- FAIL: TestDraw ", "critical step: 6 of 8; ", "step 6: goroutine 2: calls Done of WaitGroup `wg`", "--- FAIL: TestTwice ", "two orders", "--- PASS: TestOKEvict"} {
		if status != 1 || !strings.Contains(out, want) {
			t.Errorf("status %d, %q is missing:\n%s", status, want, out)
		}
	}
}
