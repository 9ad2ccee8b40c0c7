package facts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"
)

// alone waits for the ends of goroutines of earlier tests.
func alone(t *testing.T) {
	t.Helper()
	for begin := time.Now(); runtime.NumGoroutine() != 2; time.Sleep(time.Millisecond) {
		if time.Since(begin) > time.Second {
			t.Fatal(runtime.NumGoroutine(), "goroutines, want 2")
		}
	}
}

func TestNumGoroutine(t *testing.T) {
	alone(t)
	c := make(chan int)
	go func() { <-c }()
	same(t, runtime.NumGoroutine(), 3)
	close(c)
}

func TestNumGoroutineInSubtest(t *testing.T) {
	alone(t)
	before := runtime.NumGoroutine()
	t.Run("sub", func(t *testing.T) { same(t, runtime.NumGoroutine(), before+1) })
}

func TestStackHeader(t *testing.T) {
	s := make(chan string)
	go func() { s <- string(debug.Stack()) }()
	header, _, _ := strings.Cut(<-s, "\n")
	if !strings.HasSuffix(header, " [running]:") {
		t.Error(header)
	}
}

func TestStackCreator(t *testing.T) {
	stack := string(debug.Stack())
	has(t, stack, "testing.tRunner(")
	has(t, stack, "created by testing.(*T).Run in goroutine 1\n")
	has(t, stack, "/src/testing/testing.go:")
	lacks(t, stack, checker...)
}

func TestStackOfChild(t *testing.T) {
	s := make(chan string)
	go func() { s <- string(debug.Stack()) }()
	has(t, <-s, "created by example.org/facts.TestStackOfChild in goroutine ")
}

func TestStackAll(t *testing.T) {
	block := make(chan int)
	var mu sync.Mutex
	mu.Lock()
	go func() { <-block }()
	go func() {
		select {
		case <-block:
		case <-make(chan int):
		}
	}()
	go func() { mu.Lock() }()
	go func() { time.Sleep(300 * time.Millisecond) }()
	time.Sleep(100 * time.Millisecond)
	b := make([]byte, 1<<20)
	all := string(b[:runtime.Stack(b, true)])
	for _, state := range []string{"[chan receive]", "[select]", "[sync.Mutex.Lock]", "[sleep]", "[running]"} {
		has(t, all, state)
	}
	has(t, all, "testing.(*M).Run(")
	has(t, all, "main.main()")
	lacks(t, all, checker...)
	close(block)
	mu.Unlock()
	time.Sleep(300 * time.Millisecond)
}

func TestProfileText(t *testing.T) {
	for level := range 3 {
		var b bytes.Buffer
		must(t, pprof.Lookup("goroutine").WriteTo(&b, level))
		lacks(t, b.String(), checker...)
	}
}

func TestProfileCount(t *testing.T) {
	alone(t)
	same(t, pprof.Lookup("goroutine").Count(), 2)
	records := make([]runtime.StackRecord, 100)
	n, ok := runtime.GoroutineProfile(records)
	same(t, ok, true)
	same(t, n, 2)
	for _, r := range records[:n] {
		if len(r.Stack()) == 0 {
			t.Error("empty stack")
		}
	}
}

func TestProfiles(t *testing.T) {
	var names []string
	for _, p := range pprof.Profiles() {
		names = append(names, p.Name())
	}
	for _, want := range []string{"allocs", "block", "goroutine", "heap", "mutex", "threadcreate"} {
		has(t, names, want)
	}
}

func TestCallers(t *testing.T) {
	same(t, strings.Join(stackOf(), " "), "example.org/facts.TestCallers testing.tRunner runtime.goexit")
}

func TestCallersInSubtest(t *testing.T) {
	t.Run("sub", func(t *testing.T) {
		same(t, strings.Join(stackOf(), " "), "example.org/facts.TestCallersInSubtest.func1 testing.tRunner runtime.goexit")
	})
}

func TestCallersInGoroutine(t *testing.T) {
	c := make(chan []string)
	go func() { c <- stackOf() }()
	same(t, strings.Join(<-c, " "), "example.org/facts.TestCallersInGoroutine.func1 runtime.goexit")
}

func TestCallersInOnce(t *testing.T) {
	var once sync.Once
	once.Do(func() { lacks(t, stackOf(), checker...) })
}

func TestCallersInCleanup(t *testing.T) {
	t.Cleanup(func() { lacks(t, stackOf(), checker...) })
}

func TestCallersInTimer(t *testing.T) {
	c := make(chan []string)
	time.AfterFunc(time.Second, func() { c <- stackOf() })
	same(t, strings.Join(<-c, " "), "example.org/facts.TestCallersInTimer.func1 runtime.goexit")
}

func TestCaller(t *testing.T) {
	_, file, _, ok := runtime.Caller(0)
	same(t, ok, true)
	if !strings.HasSuffix(file, "/runtime_test.go") {
		t.Error(file)
	}
	if _, file, _, _ = runtime.Caller(1); !strings.HasSuffix(file, "src/testing/testing.go") {
		t.Error(file)
	}
	if _, file, _, _ = runtime.Caller(2); !strings.Contains(file, "src/runtime/asm_") {
		t.Error(file)
	}
	_, _, _, ok = runtime.Caller(3)
	same(t, ok, false)
}

func TestFuncForPC(t *testing.T) {
	pc, _, _, _ := runtime.Caller(0)
	same(t, runtime.FuncForPC(pc).Name(), "example.org/facts.TestFuncForPC")
}

func TestNilMap(t *testing.T) {
	defer func() {
		e := recover()
		same(t, fmt.Sprint(e), "assignment to entry in nil map")
		has(t, string(debug.Stack()), "panic(")
		lacks(t, string(debug.Stack()), checker...)
	}()
	var m map[int]int
	m[0] = 1
}

func TestNilPointer(t *testing.T) {
	defer func() {
		err, ok := recover().(runtime.Error)
		same(t, ok, true)
		same(t, err.Error(), "runtime error: invalid memory address or nil pointer dereference")
	}()
	var p *struct{ n int }
	p.n = 1
}

func TestIndex(t *testing.T) {
	defer func() { same(t, fmt.Sprint(recover()), "runtime error: index out of range [5] with length 3") }()
	s, i := make([]int, 3), 5
	s[i] = 1
}

func TestDivide(t *testing.T) {
	defer func() { same(t, fmt.Sprint(recover()), "runtime error: integer divide by zero") }()
	n := 0
	_ = 1 / n
}

func TestConversion(t *testing.T) {
	defer func() {
		var err *runtime.TypeAssertionError
		e, _ := recover().(error)
		same(t, errors.As(e, &err), true)
	}()
	var v any = "text"
	_ = v.(int)
}

func TestClosedChannel(t *testing.T) {
	defer func() { same(t, fmt.Sprint(recover()), "send on closed channel") }()
	c := make(chan int)
	close(c)
	c <- 1
}

func TestPanicNil(t *testing.T) {
	defer func() {
		has(t, recover(), "panic called with nil argument")
	}()
	panic(nil)
}

func TestUnlock(t *testing.T) {
	var mu sync.RWMutex
	mu.RLock()
	same(t, mu.TryLock(), false)
	same(t, mu.TryRLock(), true)
}

func TestGoexit(t *testing.T) {
	ended := make(chan bool)
	go func() {
		defer close(ended)
		runtime.Goexit()
		t.Error("it continues")
	}()
	<-ended
}

func TestProcessors(t *testing.T) {
	n := runtime.NumCPU()
	if n < 2 || runtime.GOMAXPROCS(0) != n {
		t.Skip("another machine")
	}
	same(t, runtime.GOMAXPROCS(1), n)
	same(t, runtime.GOMAXPROCS(0), 1)
	same(t, runtime.GOMAXPROCS(3), 1)
	same(t, runtime.GOMAXPROCS(n), 3)
	same(t, runtime.NumCPU(), n)
	runtime.SetDefaultGOMAXPROCS()
	same(t, runtime.GOMAXPROCS(0), n)
}

func TestPlatform(t *testing.T) {
	same(t, runtime.Compiler, "gc")
	has(t, runtime.Version(), "go1.")
	same(t, runtime.GOOS != "" && runtime.GOARCH != "", true)
}

func TestBuildInfo(t *testing.T) {
	info, ok := debug.ReadBuildInfo()
	same(t, ok, true)
	same(t, info.Main.Path, "example.org/facts")
	same(t, info.GoVersion, runtime.Version())
}

func TestMemStats(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	keep := make([]byte, 1<<20)
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(keep)
	if after.TotalAlloc-before.TotalAlloc < 1<<20 || after.HeapAlloc == 0 {
		t.Error(before.TotalAlloc, after.TotalAlloc, after.HeapAlloc)
	}
}

func TestMetrics(t *testing.T) {
	sample := []metrics.Sample{{Name: "/sched/gomaxprocs:threads"}, {Name: "/memory/classes/total:bytes"}}
	metrics.Read(sample)
	if sample[1].Value.Uint64() == 0 {
		t.Error(sample)
	}
}

func TestGCPercent(t *testing.T) {
	before := debug.SetGCPercent(50)
	same(t, debug.SetGCPercent(before), 50)
}

func TestMemoryLimit(t *testing.T) {
	before := debug.SetMemoryLimit(1 << 40)
	same(t, debug.SetMemoryLimit(before), int64(1<<40))
}

func TestMaxStack(t *testing.T) {
	var deep func(n int) int
	deep = func(n int) int {
		if n == 0 {
			return 0
		}
		var pad [100]byte
		return deep(n-1) + int(pad[n%100]) + 1
	}
	same(t, deep(100_000), 100_000)
}

func TestAddresses(t *testing.T) {
	a, b := new(int), new(int)
	if uintptr(unsafe.Pointer(a)) == uintptr(unsafe.Pointer(b)) {
		t.Error("one address")
	}
}

func TestLockOSThread(t *testing.T) {
	runtime.LockOSThread()
	done := make(chan bool)
	go func() { close(done) }()
	<-done
	runtime.UnlockOSThread()
}

func TestLabels(t *testing.T) {
	pprof.Do(t.Context(), pprof.Labels("key", "value"), func(ctx context.Context) {
		value, ok := pprof.Label(ctx, "key")
		same(t, ok, true)
		same(t, value, "value")
	})
}

func TestEnvironment(t *testing.T) {
	lacks(t, os.Environ(), "macemc", "gocachetest", "log_path")
	same(t, os.Getenv("GOMAXPROCS"), os.Getenv("FACTS_GOMAXPROCS"))
}
