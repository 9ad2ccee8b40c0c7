package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Goroutines that a package has started do not hold a lock when the next run restores it. What the test makes them do comes before or after its
// next operations, as the schedule determines.
func TestTest_LocksOfPackage(t *testing.T) {
	testFile(t, `package x

import (
	"sync"
	"testing"
)

type server struct {
	sync.RWMutex
	requests chan chan int
}

func newServer() *server {
	s := &server{requests: make(chan chan int)}
	go func() {
		for r := range s.requests {
			s.RLock()
			r <- 1
			s.RUnlock()
		}
	}()
	return s
}

var ok, wrong, writer = newServer(), newServer(), &server{requests: make(chan chan int)}

func init() {
	go func() {
		for r := range writer.requests {
			writer.Lock()
			r <- 1
			writer.Unlock()
		}
	}()
}

func TestOK(t *testing.T) {
	r := make(chan int)
	go func() { ok.requests <- r }()
	<-r
}

// The goroutine that the package has started may hold the lock until the test receives.
func TestReader(t *testing.T) {
	r := make(chan int)
	wrong.requests <- r
	wrong.Lock()
	wrong.Unlock()
	<-r
}

func TestWriter(t *testing.T) {
	r := make(chan int)
	writer.requests <- r
	writer.RLock()
	writer.RUnlock()
	<-r
}
`)
	for _, seed := range []string{"1", "2", "3"} {
		os.RemoveAll("testdata")
		out, status := testCommand(t.Context(), "-count=1", "-v", "-schedules=300", "-explore-seed="+seed, ".")
		for _, want := range []string{
			`--- PASS: TestOK `,
			`=== RUN   TestReader\n.*DEADLOCK: 1 goroutine is blocked .*\n.*waits to lock RWMutex .wrong\S* at x_test.go:47`,
			`=== RUN   TestWriter\n.*DEADLOCK: 1 goroutine is blocked .*\n.*waits to read-lock RWMutex .writer\S* at x_test.go:55`,
		} {
			if status != 1 || !regexp.MustCompile(want).MatchString(out) {
				t.Errorf("seed %s: status %d, %s is missing:\n%s", seed, status, want, out)
			}
		}
	}
	testReports(t, []string{"waits to lock RWMutex `wrong"}, 1, "-run=Reader", "-schedule=testdata/macemc/TestReader/deadlock-1.path", ".")
}

// A run that ends while it holds a lock does not prevent the end of its process, where TestMain takes the lock.
func TestTest_LocksAtExit(t *testing.T) {
	testFile(t, `package x

import (
	"os"
	"sync"
	"testing"
)

var mu sync.Mutex

func record(what string) {
	f, err := os.OpenFile("processes", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		panic(err)
	}
	f.WriteString(what)
	f.Close()
}

func TestMain(m *testing.M) {
	record("b")
	code := m.Run()
	mu.Lock()
	record("e")
	os.Exit(code)
}

func either(end func()) {
	c := make(chan int, 1)
	go func() { c <- 1 }()
	mu.Lock()
	select {
	case <-c:
		end()
	default:
	}
	mu.Unlock()
	<-c
}

func TestPanic(t *testing.T) { either(func() { panic("early") }) }

func TestExit(t *testing.T) { either(func() { os.Exit(7) }) }
`)
	testReports(t, []string{"PANIC: early", "EXIT: os.Exit"}, 1, "-count=1", "-schedules=50", "-explore-time=1m", ".")
	processes, _ := os.ReadFile("processes")
	if begun, ended := strings.Count(string(processes), "b"), strings.Count(string(processes), "e"); begun < 5 || begun != ended {
		t.Errorf("%d processes have begun, %d of them have ended", begun, ended)
	}
}

// A goroutine that holds a lock of the distribution when a panic of another one ends the run releases it before the next run.
func TestTest_LocksAfterPanic(t *testing.T) {
	testFile(t, `package x

import (
	"log"
	"testing"
)

func TestPanic(t *testing.T) {
	go func() { panic("early") }()
	t.Run("sub", func(*testing.T) {})
	log.Print("sub")
}
`)
	testReports(t, []string{"PANIC: early\n"}, 1, "-timeout=2m", "-schedules=50", ".")
}

// Locks that goroutines of a package hold when a run begins or ends stay theirs, whatever other goroutines hold at their end. Others, even if
// they held them when the first run began, do not block the test.
func TestTest_LocksHeldOutside(t *testing.T) {
	testFile(t, `package x

import (
	"sync"
	"testing"
	"time"
)

var (
	mutex     sync.Mutex
	readWrite sync.RWMutex
	lockers   = []sync.Locker{&mutex, &readWrite, readWrite.RLocker()}
)

type tries struct {
	try    func() bool
	unlock func()
}

func (l tries) Lock() {
	for !l.try() {
		time.Sleep(time.Millisecond)
	}
}

func (l tries) Unlock() { l.unlock() }

func init() {
	for range 100 {
		done := make(chan bool)
		go func() {
			new(sync.Mutex).Lock()
			close(done)
		}()
		<-done
	}
	for _, l := range append(lockers, tries{mutex.TryLock, mutex.Unlock}, tries{readWrite.TryLock, readWrite.Unlock},
		tries{readWrite.TryRLock, readWrite.RUnlock}) {
		go func() {
			for {
				l.Lock()
				time.Sleep(2 * time.Millisecond)
				l.Unlock()
				time.Sleep(time.Millisecond)
			}
		}()
	}
}

func TestLocks(t *testing.T) {
	var wg sync.WaitGroup
	for _, l := range lockers {
		wg.Go(func() {
			l.Lock()
			l.Unlock()
		})
	}
	wg.Wait()
}

func TestNone(t *testing.T) {}
`)
	for _, seed := range []string{"1", "2", "3"} {
		testReports(t, []string{"\t400 schedules of 2 tests,"}, 0, "-schedules=200", "-explore-time=1m", "-explore-seed="+seed, ".")
	}
}

// Goroutines of a package get the locks that goroutines of an earlier run held at its end.
func TestTest_LocksOfDeadGoroutines(t *testing.T) {
	testFile(t, `package x

import (
	"sync"
	"testing"
)

var (
	mutex     sync.Mutex
	readWrite sync.RWMutex
	lockers   = []sync.Locker{&mutex, &readWrite, readWrite.RLocker()}
	requests  []chan bool
)

func init() {
	for _, l := range append(lockers, lockers...) {
		c := make(chan bool)
		requests = append(requests, c)
		go func() {
			for range c {
				l.Lock()
				l.Unlock()
			}
		}()
	}
}

func dies(t *testing.T, l sync.Locker) {
	c := make(chan int, 1)
	go func() { c <- 1 }()
	l.Lock()
	select {
	case <-c:
		for _, c := range requests {
			c <- true
		}
		panic("held")
	default:
	}
	l.Unlock()
	<-c
}

func TestMutex(t *testing.T)  { dies(t, lockers[0]) }
func TestWriter(t *testing.T) { dies(t, lockers[1]) }
func TestReader(t *testing.T) { dies(t, lockers[2]) }

func TestOK(t *testing.T) {
	for range 2 {
		for i, l := range lockers {
			l.Lock()
			l.Unlock()
			requests[i] <- true
		}
	}
}
`)
	out, status := testCommand(t.Context(), "-count=1", "-schedules=20", "-explore-time=1m", ".")
	if strings.Count(out, "PANIC: held") != 3 || strings.Contains(out, "DEADLOCK") || status != 1 {
		t.Errorf("status %d:\n%s", status, out)
	}
}
