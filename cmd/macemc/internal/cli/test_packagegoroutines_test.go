package cli

import (
	"strings"
	"testing"
)

// A panic of a goroutine that a package has started ends the process, even between runs. The output has the test and the command that
// repeats the runs.
func TestTest_PanicsOutside(t *testing.T) {
	testFile(t, `package x

import "testing"

var requests = make(chan int)

func init() {
	go func() {
		last := 0
		for n := range requests {
			if 0 < n && n < last {
				panic("order")
			}
			last = n
		}
	}()
}

func TestFirst(t *testing.T) {}

func TestOrder(t *testing.T) {
	requests <- 0
	done := make(chan int)
	for n := 1; n <= 2; n++ {
		go func() {
			requests <- n
			done <- 1
		}()
	}
	<-done
	<-done
}
`)
	out, status := testCommand(t.Context(), "-count=1", "-explore-seed=3", ".")
	_, again, ok := strings.Cut(out, "macemc: a goroutine that a package has started ends the process during or after a run of TestOrder; to repeat: macemc test ")
	again, rest, _ := strings.Cut(again, "\n")
	if status != 1 || !ok || !strings.HasPrefix(again, "-run '^TestOrder$' -explore-seed 3 -schedules ") || !strings.Contains(rest, "panic: order") {
		t.Fatalf("status %d:\n%s", status, out)
	}
	repeated := false // the machine may preempt the goroutine of the package, which no schedule records
	for n := 0; n < 5 && !repeated; n++ {
		out, status = testCommand(t.Context(), strings.Fields(strings.ReplaceAll(again, "'", ""))...)
		repeated = status == 1 && strings.Contains(out, "panic: order")
	}
	if !repeated {
		t.Errorf("status %d:\n%s", status, out)
	}
	testFile(t, `package x

import (
	"testing"
	"time"
)

var requests = make(chan int)

func init() {
	go func() {
		<-requests
		time.Sleep(time.Millisecond)
		panic("late")
	}()
}

func TestLate(t *testing.T) { requests <- 1 }
`)
	testReports(t, []string{"a run of TestLate; to repeat: macemc test -run '^TestLate$'", "panic: late"}, 1, "-count=1", ".")
}

// A goroutine that a package has started answers a test, although the test waits before that goroutine has its turn.
func TestTest_GoroutineOfPackage(t *testing.T) {
	testFile(t, `package x

import (
	"sync"
	"testing"
	"time"
)

var requests = serve()

func serve() chan chan int {
	c := make(chan chan int)
	go func() {
		for r := range c {
			r <- 1
		}
	}()
	return c
}

func TestRequest(t *testing.T) {
	for range 2 {
		r := make(chan int)
		requests <- r
		<-r
	}
	r := make(chan int, 1)
	requests <- r
}

var flushed = flush()

func flush() chan int {
	c := make(chan int)
	go func() {
		for {
			time.Sleep(10 * time.Millisecond)
			c <- 1
		}
	}()
	return c
}

func TestFlush(t *testing.T) {
	<-flushed
	select {
	case <-flushed:
	case <-time.After(time.Second):
		t.Fatal("late")
	}
}

type server struct {
	mu                sync.Mutex
	cond              *sync.Cond
	requests, answers int
	tests             []string
}

var served = newServer()

func newServer() *server {
	s := new(server)
	s.cond = sync.NewCond(&s.mu)
	go func() {
		s.mu.Lock()
		for {
			for s.requests == 0 {
				s.cond.Wait()
			}
			s.requests--
			s.answers++
			s.cond.Broadcast()
		}
	}()
	return s
}

func TestCond(t *testing.T) {
	s := served
	s.mu.Lock()
	for range 2 {
		s.requests++
		s.cond.Broadcast()
		for s.answers == 0 {
			s.cond.Wait()
		}
		s.answers--
	}
	s.mu.Unlock()
	if s.tests = append(s.tests, "TestCond"); len(s.tests) != 1 {
		t.Error(s.tests)
	}
}

var (
	held sync.Mutex
	hold = holder()
)

func holder() chan bool {
	c := make(chan bool)
	go func() {
		for range c {
			held.Lock()
			c <- true
			time.Sleep(5 * time.Millisecond)
			held.Unlock()
		}
	}()
	return c
}

func TestHeld(t *testing.T) {
	hold <- true
	<-hold
	held.Lock()
	held.Unlock()
}

// The goroutine of the package may still answer.
func TestLate(t *testing.T) {
	r := make(chan int)
	late <- r
	go func() { <-r }()
}

var late = answerLate()

func answerLate() chan chan int {
	c := make(chan chan int)
	go func() {
		for r := range c {
			go func() {
				time.Sleep(time.Hour)
				r <- 1
			}()
		}
	}()
	return c
}

func TestRequestInTime(t *testing.T) {
	r := make(chan int)
	go func() { requests <- r }()
	select {
	case <-r:
	case <-time.After(time.Second):
		t.Fatal("late")
	}
}
`)
	for option, want := range map[string]string{"-explore-seed=1": "no finding", "-exhaustive": "not complete: it waits for something outside the test"} {
		out, status := testCommand(t.Context(), "-count=1", "-v", "-schedules=20", option, ".")
		if status != 0 || !strings.Contains(out, want) {
			t.Errorf("%s: status %d, want %s\n%s", option, status, want, out)
		}
	}
}
