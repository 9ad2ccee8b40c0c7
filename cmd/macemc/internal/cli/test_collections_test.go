package cli

import "testing"

// A collection shows nothing in a run that reaches all objects which have finalizers or weak pointers.
func TestTest_CollectionsOfReachable(t *testing.T) {
	testFile(t, `package x

import (
	"io"
	"net"
	"os"
	"runtime"
	"sync"
	"testing"
	"weak"
)

type object struct{ ready, stop, done chan int }

// keeps makes a goroutine that alone references an object until it stops.
func keeps() (*object, weak.Pointer[[64]int]) {
	o, w := &object{make(chan int), make(chan int), make(chan int)}, weak.Pointer[[64]int]{}
	go func() {
		kept := new([64]int)
		w = weak.Make(kept)
		close(o.ready)
		<-o.stop
		runtime.KeepAlive(kept)
		close(o.done)
	}()
	<-o.ready
	return o, w
}

func TestKept(t *testing.T) {
	o, w := keeps()
	runtime.GC()
	if w.Value() == nil {
		t.Error("the object is lost")
	}
	close(o.stop)
	<-o.done
}

func TestNoLongerKept(t *testing.T) {
	o, w := keeps()
	close(o.stop)
	<-o.done
	if runtime.GC(); w.Value() != nil {
		t.Error("the object is kept")
	}
}

// The second of two increments is lost under another schedule.
func TestFile(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			mu.Lock()
			before := n
			mu.Unlock()
			runtime.GC()
			mu.Lock()
			n = before + 1
			mu.Unlock()
		})
	}
	if wg.Wait(); n != 2 {
		t.Error(n)
	}
	f.Close()
}

func connect(t *testing.T) (client, server net.Conn) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if client, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if server, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	return client, server
}

// A finalizer closes a connection although its peer reads.
func TestLost(t *testing.T) {
	_, s := connect(t)
	runtime.GC()
	io.ReadAll(s)
	s.Close()
}
`)
	testReports(t, []string{"--- PASS: TestKept ", "--- PASS: TestNoLongerKept ", "--- FAIL: TestFile ", "--- PASS: TestLost ",
		"TestLost, TestNoLongerKept: not explored: each calls runtime.GC\n"}, 1, "-count=1", "-v", "-vet=off", "-schedules=100", ".")
}
