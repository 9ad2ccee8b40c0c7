package cli

import (
	"strings"
	"testing"
)

// A run that is repeated to wait in real time for goroutines outside the test also waits for those that act for it.
func TestTest_ActsInRepetition(t *testing.T) {
	testFile(t, `package x

import (
	"os"
	"testing"
	"time"
)

var (
	unwritten *os.File
	log       = make(chan string)
)

func init() {
	var r *os.File
	r, unwritten, _ = os.Pipe()
	go r.Read(make([]byte, 1))
	go func() {
		for range log {
			time.Sleep(200 * time.Millisecond)
		}
	}()
}

func TestLate(t *testing.T) {
	time.Sleep(10 * time.Second)
	log <- "timeout"
	t.Error("timeout")
	time.Sleep(time.Second)
}
`)
	testReports(t, []string{"FAILED TEST: x_test.go:28: timeout\n    found by schedule 1 "}, 1, "-schedules=3", "-explore-time=1m", ".")
}

// Messages between a test and a goroutine that a package has started do not count as advances of the clock.
func TestTest_Exchanges(t *testing.T) {
	testFile(t, `package x

import (
	"testing"
	"time"
)

var c = make(chan int)

func init() {
	go func() {
		for {
			c <- 1 + <-c
		}
	}()
}

func TestMany(t *testing.T) {
	for range 200_000 {
		c <- 1
		<-c
	}
	time.Sleep(time.Millisecond)
}
`)
	testReports(t, []string{"\t1 schedule of 1 test"}, 0, "-schedules=1", ".")
}

// A goroutine that acts for a test after its end does not act for the next one. Its timer may wake any of them.
func TestTest_ActsForOther(t *testing.T) {
	testFile(t, `package x

import (
	"testing"
	"time"
)

var kick = make(chan int)

func init() {
	go func() {
		for range kick {
			time.Sleep(10 * time.Minute)
		}
	}()
	start()
}

func start() { time.AfterFunc(time.Hour, start) }

func TestKick(t *testing.T) {
	select {
	case kick <- 1:
	default:
	}
}

func TestOwn(t *testing.T) {
	c := make(chan int)
	go func() { c <- 1 }()
	<-c
}
`)
	testReports(t, []string{"\t6 schedules of 2 tests"}, 0, // runs of TestKick begin with the initialization of the package
		"-timeout=1m", "-schedules=3", ".")
	testReports(t, []string{"; not complete: a goroutine that a package has started may act at any time\n"}, 0, "-v", "-exhaustive", "-run=TestOwn", ".")
}

// The log of a first run that is repeated is followed by a line about that.
func TestTest_RepeatedFirstRun(t *testing.T) {
	testFile(t, `package x

import (
	"sync"
	"testing"
	"time"
)

var (
	mu             sync.Mutex
	queue, flushed int
)

func init() {
	go func() {
		for {
			time.Sleep(200 * time.Millisecond)
			mu.Lock()
			flushed, queue = flushed+queue, 0
			mu.Unlock()
		}
	}()
}

func TestFlush(t *testing.T) {
	mu.Lock()
	queue++
	mu.Unlock()
	for range 100 {
		mu.Lock()
		f := flushed
		mu.Unlock()
		if f == 1 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("not flushed")
}
`)
	out, status := testCommand(t.Context(), "-count=1", "-schedules=3", "-explore-time=1m", "-v", ".")
	const want = ": not flushed\n    macemc: the run above is repeated, as it did not wait for a goroutine that a package has started\n"
	if status != 0 || strings.Count(out, "not flushed") != strings.Count(out, want) || !strings.Contains(out, want) {
		t.Errorf("status %d:\n%s", status, out)
	}
}

// A channel that an earlier run has made, of elements without pointers, does not keep the bubble of that run. No write barrier marks it when
// this run adopts the channel, after the bubble was collected and while the collector marks.
func TestTest_ChannelsOfEarlierRuns(t *testing.T) {
	testFile(t, `package x

import (
	"runtime/debug"
	"testing"
)

var (
	keep = make(chan chan int)
	kept = make(chan []chan int)
)

func init() {
	go func() {
		var list []chan int
		for {
			select {
			case c := <-keep:
				list = append(list, c)
			case kept <- list:
			}
		}
	}()
}

func TestMakes(t *testing.T) {
	for range 10 {
		keep <- make(chan int, 1)
	}
}

type node struct {
	next *node
	rest [10]*node
}

func TestUses(t *testing.T) {
	debug.SetGCPercent(1)
	var list *node
	ping := make(chan bool)
	defer close(ping)
	go func() {
		for range ping {
		}
	}()
	work := func() {
		for range 100 {
			list.rest[0] = new(node)
		}
		ping <- true
	}
	for range 10_000 {
		list = &node{next: list}
	}
	for range 100 {
		work()
	}
	for i, c := range <-kept {
		select {
		case c <- 1:
		case <-c:
		}
		if i%10 == 0 {
			work()
		}
	}
}
`)
	testReports(t, []string{"\t200 schedules of 2 tests"}, 0, "-count=1", "-schedules=100", "-explore-time=1h", ".")
}
