package cli

import (
	"strings"
	"testing"
)

// A goroutine is not blocked forever if a finalizer or a cleanup can wake it, unless that goroutine keeps the object.
func TestTest_LeaksOfFinalizers(t *testing.T) {
	testFile(t, `package x

import (
	"io"
	"net"
	"runtime"
	"testing"
)

type loop struct{ stop, work chan int }

func (l *loop) run() {
	for {
		select {
		case <-l.work:
		case <-l.stop:
			return
		}
	}
}

type client struct{ *loop }

func (c *client) runItself() { c.run(); runtime.KeepAlive(c) }

func start() *client {
	l := &loop{make(chan int), make(chan int)}
	go l.run()
	l.work <- 1
	return &client{l}
}

func stop(c *client) { close(c.stop) }

func TestFinalizer(t *testing.T) { runtime.SetFinalizer(start(), stop) }

func TestFinalizerGone(t *testing.T) {
	c := start()
	runtime.SetFinalizer(c, stop)
	runtime.SetFinalizer(c, nil)
}

func TestFinalizerKept(t *testing.T) {
	c := &client{&loop{make(chan int), make(chan int)}}
	runtime.SetFinalizer(c, stop)
	go c.runItself()
	c.work <- 1
}

func TestCleanup(t *testing.T) {
	c := start()
	runtime.AddCleanup(c, func(stop chan int) { close(stop) }, c.stop)
}

func TestCleanupGone(t *testing.T) {
	c := start()
	runtime.AddCleanup(c, func(stop chan int) { close(stop) }, c.stop).Stop()
}

func TestCleanupKept(t *testing.T) {
	c := &client{&loop{make(chan int), make(chan int)}}
	runtime.AddCleanup(c, func(stop chan int) { close(stop) }, c.stop)
	go c.runItself()
	c.work <- 1
}

// Cleanups that keep objects forever, their own or those of each other, wake nobody.
func TestCleanupOfItself(t *testing.T) {
	c := start()
	runtime.AddCleanup(c, func(a [1]*client) { close(a[0].stop) }, [1]*client{c})
}

func TestCleanupsOfEachOther(t *testing.T) {
	a, b := start(), new(client)
	runtime.AddCleanup(a, func(*client) {}, b)
	runtime.AddCleanup(b, stop, a)
}

func TestFinalizerOfItself(t *testing.T) {
	c := &struct {
		*client
		a [1]any
	}{client: start()}
	c.a[0] = c
	runtime.SetFinalizer(c, func(any) { stop(c.client) })
}

func TestCleanupInTurn(t *testing.T) {
	a, b := start(), new(client)
	runtime.SetFinalizer(a, stop)
	runtime.AddCleanup(b, func(*client) {}, a)
}

// peer returns a connection whose peer a goroutine serves until its end.
func peer(t *testing.T) net.Conn {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	s, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		io.Copy(io.Discard, s)
		s.Close()
	}()
	return c
}

func TestConnection(t *testing.T) { peer(t).Write([]byte("x")) }

func TestConnectionKept(t *testing.T) {
	c := peer(t)
	go func() {
		<-make(chan int)
		c.Close()
	}()
}

func TestCollected(t *testing.T) {
	t.Cleanup(runtime.GC)
	runtime.SetFinalizer(start(), stop)
}

// Only goroutines that run meanwhile show that memory is collected.
func TestCollects(t *testing.T) {
	n := runtime.NumGoroutine()
	for range 3 {
		go func() {}()
	}
	for range 1000 {
		runtime.GC()
		if runtime.NumGoroutine() == n {
			return
		}
	}
	t.Error("goroutines are left")
}

func TestMeasures(t *testing.T) {
	var a, b runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&a)
	_ = make([]byte, 1<<20)
	runtime.GC()
	if runtime.ReadMemStats(&b); b.NumGC <= a.NumGC {
		t.Error(b.NumGC)
	}
}
`)
	testReports(t, []string{"--- PASS: TestFinalizer ", "--- FAIL: TestFinalizerGone ", "--- FAIL: TestFinalizerKept ", "--- PASS: TestCleanup ",
		"--- FAIL: TestCleanupGone ", "--- FAIL: TestCleanupKept ",
		"--- FAIL: TestCleanupOfItself ", "--- FAIL: TestCleanupsOfEachOther ", "--- FAIL: TestFinalizerOfItself ", "--- PASS: TestCleanupInTurn ",
		"--- PASS: TestConnection ", "--- FAIL: TestConnectionKept ",
		"TestCollected, TestMeasures: not explored: each calls runtime.GC\n", "--- PASS: TestCollects "}, 1,
		"-count=1", "-v", "-vet=off", "-schedules=20", ".")
}

// A run is not explored if a collection shows by what was made before it, or is called for outside of it.
func TestTest_CollectionsOutside(t *testing.T) {
	testFile(t, `package x

import (
	"runtime"
	"testing"
	"weak"
)

type object struct{ sent chan bool }

var (
	cleaned, finalized   = make(chan bool, 1), make(chan bool, 1)
	ready, asked, done   = make(chan bool), make(chan bool), make(chan bool)
	referenced, released *object
	pointer              weak.Pointer[object]
)

func init() {
	go func() {
		runtime.AddCleanup(&object{cleaned}, func(c chan bool) { c <- true }, cleaned)
		close(ready)
		for range asked {
			runtime.GC()
			done <- true
		}
	}()
}

func finalize(o *object) { runtime.SetFinalizer(o, func(o *object) { o.sent <- true }) }

func TestMain(m *testing.M) {
	<-ready
	finalize(&object{finalized})
	referenced, released = new(object), &object{make(chan bool, 1)}
	pointer = weak.Make(referenced)
	m.Run()
}

func TestCleaned(t *testing.T) {
	runtime.GC()
	<-cleaned
}

func TestFinalized(t *testing.T) {
	runtime.GC()
	<-finalized
}

func TestPointer(t *testing.T) {
	referenced = nil
	if runtime.GC(); pointer.Value() != nil {
		t.Error("the object is kept")
	}
}

func TestReleased(t *testing.T) {
	finalize(released)
	sent := released.sent
	released = nil
	runtime.GC()
	<-sent
}

func TestOutside(t *testing.T) {
	sent := make(chan bool, 1)
	finalize(&object{sent})
	asked <- true
	<-done
	<-sent
}
`)
	testReports(t, []string{"--- PASS: TestCleaned ", "--- PASS: TestFinalized ", "--- PASS: TestPointer ", "--- PASS: TestReleased ",
		"--- PASS: TestOutside ", "TestCleaned, TestFinalized, TestOutside and 2 more: not explored: each calls runtime.GC\n"}, 0,
		"-count=1", "-v", "-vet=off", "-schedules=20", ".")
}

// Collections close files and sockets that nothing references.
func TestTest_FinalizersOfFiles(t *testing.T) {
	testFile(t, `package x

import (
	"io"
	"net"
	"os"
	"runtime"
	"testing"
)

func pipe() *os.File {
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	w.WriteString("text")
	return r
}

func TestPipe(t *testing.T) {
	r := pipe()
	runtime.GC()
	if b, err := io.ReadAll(r); string(b) != "text" || err != nil {
		t.Error(b, err)
	}
	r.Close()
}

// Goroutines that end with a run while they read neither block finalizers nor keep files open.
func TestReads(t *testing.T) {
	for range 20 {
		r, _, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		c, err := r.SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		c.Control(func(fd uintptr) {
			if fd > 120 {
				t.Fatal("earlier runs have left files open")
			}
		})
		go r.Read(make([]byte, 1))
	}
}

func connection(l net.Listener) net.Conn {
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		panic(err)
	}
	c.Write([]byte("text"))
	s, err := l.Accept()
	if err != nil {
		panic(err)
	}
	return s
}

func TestConnection(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := connection(l)
	runtime.GC()
	if b, err := io.ReadAll(s); string(b) != "text" || err != nil {
		t.Error(b, err)
	}
	s.Close()
	l.Close()
}

func TestPipeAgain(t *testing.T) {
	TestPipe(t)
	TestPipe(t)
}

func TestClosed(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	w.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	runtime.GC()
}
`)
	out := testStatus(t, 0, "-count=1", "-v", "-vet=off", "-schedules=20", ".")
	expect(t, out, "--- PASS: TestPipe ", "--- PASS: TestConnection ", "--- PASS: TestPipeAgain ", "--- PASS: TestClosed ",
		"TestConnection, TestPipe, TestPipeAgain: not explored: each calls runtime.GC\n")
	if strings.Contains(out, "left files open") {
		t.Error(out)
	}
}

// SetFinalizer checks its arguments.
func TestTest_FinalizerArguments(t *testing.T) {
	testFile(t, `package x

import (
	"runtime"
	"testing"
)

type pair struct{ a, b *int }

var global pair

func finalize(*pair) {}

func TestNil(t *testing.T) { runtime.SetFinalizer(nil, nil) }

func TestType(t *testing.T) { runtime.SetFinalizer(new(pair), func(*int) {}) }

func TestInner(t *testing.T) { runtime.SetFinalizer(&new(pair).b, nil) }

func TestSecond(t *testing.T) {
	p := new(pair)
	runtime.SetFinalizer(p, finalize)
	runtime.SetFinalizer(p, finalize)
}

func TestReplaced(t *testing.T) {
	p := new(pair)
	runtime.SetFinalizer(p, finalize)
	runtime.SetFinalizer(p, nil)
	runtime.SetFinalizer(p, finalize)
	runtime.SetFinalizer(&global, finalize)
	runtime.SetFinalizer(&global, finalize)
}
`)
	const what = "fatal error: runtime.SetFinalizer: "
	testReports(t, []string{what + "first argument is nil\n", what + "cannot pass *x.pair to finalizer func(*int)\n",
		what + "pointer not at beginning of allocated block\n", what + "finalizer already set\n", "--- PASS: TestReplaced "}, 1,
		"-count=1", "-v", "-vet=off", "-schedules=5", ".")
}

// Statistics of memory show that no memory is collected in a run. A test that reads them is explored, but not completely, unless it
// fails in a way that they may cause.
func TestTest_MemoryStatistics(t *testing.T) {
	testFile(t, `package x

import (
	"runtime"
	"sync"
	"testing"
)

var kept []byte

func TestCollections(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 1000 {
		kept = make([]byte, 1<<20)
	}
	if runtime.ReadMemStats(&after); after.NumGC == before.NumGC {
		t.Error(before.NumGC, after.NumGC, after.HeapAlloc)
	}
}

func TestWaits(t *testing.T) {
	var before, after runtime.MemStats
	for runtime.ReadMemStats(&before); after.NumGC <= before.NumGC; runtime.ReadMemStats(&after) {
		kept = make([]byte, 1<<14)
	}
}

func TestProfile(t *testing.T) {
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	runtime.MemProfileRate = 1
	kept = make([]byte, 1<<20)
	runtime.GC()
	n, _ := runtime.MemProfile(nil, true)
	records := make([]runtime.MemProfileRecord, 2*n)
	n, _ = runtime.MemProfile(records, true)
	var bytes int64
	for _, r := range records[:n] {
		bytes += r.InUseBytes()
	}
	if bytes < 1<<20 {
		t.Error(bytes)
	}
}

func locked(t *testing.T) {
	kept = make([]byte, 64<<20)
	runtime.ReadMemStats(new(runtime.MemStats))
	var a, b sync.Mutex
	done := make(chan bool)
	go func() {
		a.Lock()
		b.Lock()
		b.Unlock()
		a.Unlock()
		close(done)
	}()
	b.Lock()
	a.Lock()
	a.Unlock()
	b.Unlock()
	<-done
}

func TestLocks(t *testing.T) { locked(t) }

func TestCloses(t *testing.T) {
	kept = make([]byte, 64<<20)
	runtime.ReadMemStats(new(runtime.MemStats))
	c := make(chan bool)
	close(c)
	close(c)
}

func TestMuch(t *testing.T) {
	kept = make([]byte, 64<<20)
	runtime.ReadMemStats(new(runtime.MemStats))
}

func TestLittle(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	kept = make([]byte, 1<<20)
	if runtime.ReadMemStats(&after); after.TotalAlloc < before.TotalAlloc+1<<20 {
		t.Error(before.TotalAlloc, after.TotalAlloc)
	}
}
`)
	testReports(t, []string{"--- PASS: TestCollections ", "--- PASS: TestWaits ", "--- PASS: TestProfile ", "--- PASS: TestLittle ",
		"--- PASS: TestMuch ", "DEADLOCK: 2 goroutines are blocked and nothing can wake them\n", "PANIC: close of closed channel\n",
		"TestCollections, TestWaits: not explored: each reads memory statistics after allocating much\n", "TestProfile: not explored: it calls runtime.GC\n"},
		1, "-count=1", "-v", "-vet=off", "-schedules=5", ".")
}
