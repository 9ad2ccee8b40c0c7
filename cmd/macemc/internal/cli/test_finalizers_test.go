package cli

import "testing"

// A goroutine is not blocked forever if a finalizer or a cleanup can wake it, unless that goroutine keeps the object.
func TestTest_LeaksOfFinalizers(t *testing.T) {
	testFile(t, `package x

import (
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
		"--- FAIL: TestCleanupGone ", "--- FAIL: TestCleanupKept ", "TestCollected, TestMeasures: not explored: each calls runtime.GC\n", "--- PASS: TestCollects "}, 1,
		"-count=1", "-v", "-vet=off", "-schedules=20", ".")
}
