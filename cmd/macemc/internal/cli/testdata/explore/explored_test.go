package explored

import (
	crand "crypto/rand"
	"fmt"
	"io"
	"math"
	"math/rand"
	"mime"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.org/ids"
)

func TestLocks(t *testing.T) {
	var a, b sync.Mutex
	var wg sync.WaitGroup
	wg.Go(func() {
		a.Lock()
		b.Lock()
		b.Unlock()
		a.Unlock()
	})
	wg.Go(func() {
		b.Lock()
		a.Lock()
		a.Unlock()
		b.Unlock()
	})
	wg.Wait()
}

func TestAtomics(t *testing.T) {
	var n atomic.Int32
	var m int32
	var wg sync.WaitGroup
	var p atomic.Pointer[int]
	p.Store(new(int))
	if *p.Load() != 0 {
		t.Fatal("pointer")
	}
	for range 2 {
		wg.Go(func() {
			n.Add(1)
			atomic.StoreInt32(&m, atomic.LoadInt32(&m)+1)
		})
	}
	wg.Wait()
	if n.Load() != 2 || m != 2 {
		t.Fatalf("%d and %d", n.Load(), m)
	}
}

func TestLeak(t *testing.T) {
	c := make(chan int)
	go func() {
		time.Sleep(time.Second)
		c <- 1
	}()
	select {
	case <-c:
	case <-time.After(time.Second):
	}
}

func TestPanic(t *testing.T) {
	c, d := make(chan int), make(chan bool)
	go func() { close(c); d <- true }()
	go func() {
		select {
		case <-c:
		default:
			close(c)
		}
		d <- true
	}()
	<-d
	<-d
}

func TestMemory(t *testing.T) {
	n := 0
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { n++ })
	}
	wg.Wait()
	if n != 2 {
		t.Fatal(n)
	}
}

func TestHTTP(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(3 * time.Second)
		io.WriteString(w, "ok")
	}))
	defer srv.Close()
	for range 2 {
		resp, err := http.Get(srv.URL)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if string(b) != "ok" || err != nil {
			t.Fatal(string(b), err)
		}
	}
}

func TestUDP(t *testing.T) {
	a, err := net.ListenPacket("udp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	b, err := net.Dial("udp", a.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, err := b.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	var buf [10]byte
	n, from, err := a.ReadFrom(buf[:])
	if err != nil || string(buf[:n]) != "hello" || from.String() != b.LocalAddr().String() {
		t.Fatal(n, from, err)
	}
	a.SetReadDeadline(time.Now().Add(time.Hour))
	if _, _, err := a.ReadFrom(buf[:]); err == nil {
		t.Fatal("no deadline")
	}
}

func TestSubtests(t *testing.T) {
	t.Setenv("EXPLORED", "yes")
	dir := t.TempDir()
	t.Run("sub", func(t *testing.T) {
		t.Cleanup(func() { os.WriteFile(dir+"/file", nil, 0o600) })
		t.Run("a", func(t *testing.T) { t.Parallel() })
		t.Run("a", func(t *testing.T) { t.Parallel(); t.Log("logged") })
	})
	t.Run("sub", func(t *testing.T) {
		if t.Name() != "TestSubtests/sub#01" {
			t.Fatal(t.Name())
		}
	})
}

func TestSynctest(t *testing.T) {
	for range 2 {
		synctest.Test(t, func(t *testing.T) {
			if now := time.Now(); now.UTC() != time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) {
				t.Fatal(now)
			}
			n, start := 0, time.Now()
			time.AfterFunc(time.Second, func() { n++ })
			for range 20 {
				go func() { n++ }()
				synctest.Wait()
			}
			if n != 20 || time.Since(start) != 0 {
				t.Fatal(n, time.Since(start))
			}
			time.Sleep(time.Second)
			synctest.Wait()
			if n != 21 || time.Since(start) != time.Second {
				t.Fatal(n, time.Since(start))
			}
		})
	}
}

// A goroutine of the bubble is left if the second one comes first.
func TestSynctestLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, c := make(chan int, 2), make(chan bool)
		for i := range 2 {
			go func() { first <- i }()
		}
		if <-first == 1 {
			go func() { <-c }()
		}
		<-first
	})
}

// Only one of the seeds shows the order.
func FuzzOrder(f *testing.F) {
	f.Add(1)
	f.Add(2)
	f.Fuzz(func(t *testing.T, n int) {
		first := make(chan int, 2)
		for i := range 2 {
			go func() { first <- i }()
		}
		if i := <-first; n == 2 && i == 1 {
			t.Fatal("the second one comes first")
		}
		<-first
	})
}

// The process executes a test once.
func TestProcess(t *testing.T) {
	t.Run("", func(t *testing.T) {
		if t.Name() != "TestProcess/#00" {
			t.Error("the first subtest is " + t.Name())
		}
	})
	if err := exec.Command(os.Args[0], "-test.run=^TestLocks$").Run(); err != nil {
		t.Fatal(err)
	}
}

var runs int

// The state that earlier runs have left would make this one fail.
func TestState(t *testing.T) {
	runs++
	done := make(chan bool)
	go close(done)
	<-done
	if runs > 1 {
		t.Fatal("runs before this one")
	}
}

// Package mime is not restored.
func TestRegistered(t *testing.T) {
	done := make(chan bool)
	go close(done)
	<-done
	if mime.TypeByExtension(".explored") != "" {
		t.Fatal("registered by a run before this one")
	}
	mime.AddExtensionType(".explored", "text/x-explored")
}

// Libraries have such variables.
var (
	generator = rand.New(rand.NewSource(time.Now().UnixNano()))
	began     = time.Now()
	prefix    = func() (b [4]byte) { crand.Read(b[:]); return b }()
	counts    = map[string]int{}
)

func TestGenerator(t *testing.T) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var order []int
	for i := range 2 {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			counts[fmt.Sprint(i)] += generator.Intn(1 << 30)
			order = append(order, i)
		})
	}
	wg.Wait()
	if order[0] == 1 {
		t.Fatalf("%v, %d, %x, %v, %d", counts, generator.Int(), prefix, time.Since(began) < time.Minute, ids.Next())
	}
}

// The longest duration is not one that passes.
func TestInfinity(t *testing.T) {
	select {
	case <-make(chan bool):
	case <-time.After(math.MaxInt64):
	}
}

func TestSkipped(t *testing.T) { t.Skip("not now") }

func Example() {
	os.Stdout.WriteString("plain\n")
	// Output: plain
}

// Two withdrawals may pass the check together. Package net/http sets up much at the first request of a process.
func TestWithdraw(t *testing.T) {
	var mu sync.Mutex
	balance := 10
	locked := func(f func()) { mu.Lock(); defer mu.Unlock(); f() }
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		enough := false
		locked(func() { enough = balance >= 10 })
		if enough {
			locked(func() { balance -= 10 })
		}
	}))
	defer srv.Close()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			resp, err := http.Get(srv.URL)
			if err != nil {
				t.Error(err)
				return
			}
			resp.Body.Close()
		})
	}
	wg.Wait()
	if balance < 0 {
		t.Errorf("the balance is %d", balance)
	}
}

// The example expects one order of its lines, and any order is possible.
func Example_lines() {
	var wg sync.WaitGroup
	for _, word := range []string{"two", "one"} {
		wg.Go(func() { fmt.Println(word) })
	}
	wg.Wait()
	// Output:
	// one
	// two
}

// The output of a test is dropped after its first run, unless the test itself reads it.
func TestCaptures(t *testing.T) {
	stdout, done := os.Stdout, make(chan bool)
	f, err := os.Create(t.TempDir() + "/out")
	if err != nil {
		t.Fatal(err)
	}
	os.Stdout = f
	go func() { fmt.Print("captured"); close(done) }()
	<-done
	os.Stdout = stdout
	if text, err := os.ReadFile(f.Name()); string(text) != "captured" {
		t.Errorf("%q, %v", text, err)
	}
}

// A bubble's log is that of its test.
func TestSynctestFails(t *testing.T) {
	t.Run("order", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := make(chan int, 2)
			for i := range 2 {
				go func() { c <- i }()
			}
			if n := <-c; n == 1 {
				t.Errorf("%d is first", n)
			}
			<-c
		})
	})
}

// A goroutine may log after the end of its test.
func TestLogsLate(t *testing.T) { go func() { t.Log("late") }() }
