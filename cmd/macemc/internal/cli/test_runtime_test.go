package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The end of a goroutine that is counted or listed is a point.
func TestTest_NumGoroutine(t *testing.T) {
	testFile(t, `package x

import (
	"bytes"
	"runtime"
	"runtime/metrics"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"
)

func twice(t *testing.T, count func() int) {
	before := count()
	done := make(chan bool)
	go close(done)
	<-done
	if n := count(); n != before {
		t.Error("another number")
	}
}

func TestMetrics(t *testing.T) {
	twice(t, func() int {
		s := []metrics.Sample{{Name: "/sched/goroutines:goroutines"}}
		metrics.Read(s)
		return int(s[0].Value.Uint64())
	})
}

func TestProfile(t *testing.T) {
	twice(t, func() int { n, _ := runtime.GoroutineProfile(nil); return n })
}

func TestCount(t *testing.T) { twice(t, func() int { return pprof.Lookup("goroutine").Count() }) }

func TestStack(t *testing.T) {
	twice(t, func() int {
		b := make([]byte, 1<<16)
		return strings.Count(string(b[:runtime.Stack(b, true)]), "goroutine ")
	})
}

func TestWrite(t *testing.T) {
	twice(t, func() int {
		var b bytes.Buffer
		pprof.Lookup("goroutine").WriteTo(&b, 2)
		return strings.Count(b.String(), "goroutine ")
	})
}

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
	testReports(t, []string{"macemc: FAILED TEST: x_test.go:59: 3", "'s step 6 (ends at ", "--- FAIL: TestMetrics ", "--- FAIL: TestProfile ",
		"--- FAIL: TestCount ", "--- FAIL: TestStack ", "--- FAIL: TestWrite "}, 1, "-count=1", "-v", "-schedules=50", ".")
}

// Literals of packages are neighbors in memory. Those of the distribution are not restored with those of modules.
func TestTest_Literals(t *testing.T) {
	testFile(t, `package x

import (
	"crypto/elliptic"
	"testing"

	"example.org/x/a"
)

func TestCurve(t *testing.T) {
	if elliptic.P256().Params().BitSize != 256 || a.Literal.N != nil {
		t.Error("not as initialized")
	}
	done := make(chan bool)
	go close(done)
	<-done
	a.Literal.N = new(int)
}
`)
	if err := os.Mkdir("a", 0o700); err != nil {
		t.Fatal(err)
	}
	const literal = "package a\n\nvar (\n\tnumber int\n\tLiteral = &struct{ M, N *int }{M: &number}\n)\n"
	if err := os.WriteFile(filepath.Join("a", "a.go"), []byte(literal), 0o600); err != nil {
		t.Fatal(err)
	}
	out, status := testCommand(t.Context(), "-count=1", ".")
	if status != 0 || strings.Contains(out, "left outside") {
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

// Parallel tests and their runs, also those that do not return, leave nothing that keeps others from counting allocations.
func TestTest_AllocsAfterParallel(t *testing.T) {
	testFile(t, `package x

import "testing"

func TestA(t *testing.T) { t.Parallel(); allocs(t) }

func TestB(t *testing.T) {
	t.Run("sub", func(t *testing.T) { t.Parallel(); select {} })
}

func TestC(t *testing.T) { allocs(t) }

func allocs(t *testing.T) {
	done := make(chan bool)
	go close(done)
	<-done
	if n := testing.AllocsPerRun(1, func() {}); n != 0 {
		t.Error(n)
	}
}
`)
	out, _ := testCommand(t.Context(), "-count=1", "-v", "-schedules=20", ".")
	expect(t, out, "macemc: PANIC: testing: AllocsPerRun called during parallel test\n(.*\n)*--- FAIL: TestA ", "--- FAIL: TestB ", "--- PASS: TestC ")
}

// A stack that overflows inside the runtime, which holds something there, ends the test and not the process. Nor does a signal for a goroutine
// of an ended run, if variables are too large to be restored.
func TestTest_RuntimeSurvives(t *testing.T) {
	testFile(t, `package x

import (
	"sync"
	"testing"
	"time"
)

var (
	list  []any
	large [70 << 20]byte
	mu    sync.Mutex
	cond  = sync.NewCond(&mu)
)

func TestLeft(t *testing.T) {
	large[0]++
	cond.Signal()
	go func() {
		mu.Lock()
		defer mu.Unlock()
		cond.Wait()
	}()
	time.Sleep(time.Second)
}

func appends(n int) int {
	list = append([]any(nil), n, n)
	return appends(n+1) + 1
}

func TestOverflow(t *testing.T) {
	go appends(0)
	time.Sleep(time.Second)
}

func TestWoken(t *testing.T) {
	woken := false
	go func() {
		mu.Lock()
		defer mu.Unlock()
		cond.Wait()
		woken = true
	}()
	time.Sleep(time.Second)
	cond.Signal()
	time.Sleep(time.Second)
	if !woken {
		t.Error("it waits")
	}
}
`)
	testReports(t, []string{"--- PASS: TestLeft", "PANIC: fatal error: stack overflow", "--- FAIL: TestOverflow", "--- PASS: TestWoken"}, 1,
		"-count=1", "-v", "-vet=off", "-leaks=false", "-schedules=20", ".")
}
