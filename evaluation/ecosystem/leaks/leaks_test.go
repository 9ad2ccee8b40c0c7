// Package leaks has tests that look for goroutines they leave.
package leaks

import (
	"sync"
	"testing"
	"time"

	"github.com/fortytw2/leaktest"
	"go.uber.org/goleak"
)

// poller polls until it is stopped.
type poller struct {
	stop    chan struct{}
	done    chan struct{}
	results chan int
}

func start(poll func(p *poller)) *poller {
	p := &poller{make(chan struct{}), make(chan struct{}), make(chan int)}
	go func() {
		defer close(p.done)
		poll(p)
	}()
	return p
}

// sends hands a result over, whether or not someone waits for it.
func sends(p *poller) { p.results <- 1 }

func sendsOrStops(p *poller) {
	select {
	case p.results <- 1:
	case <-p.stop:
	}
}

// use waits for a result for a while, and stops the poller.
func use(p *poller) {
	select {
	case <-p.results:
	case <-time.After(900 * time.Microsecond):
	}
	close(p.stop)
}

func TestGoleak(t *testing.T) {
	defer goleak.VerifyNone(t)
	p := start(sendsOrStops)
	var wg sync.WaitGroup
	wg.Go(func() { use(p) })
	wg.Wait()
	<-p.done
}

func TestGoleakDefect(t *testing.T) {
	defer goleak.VerifyNone(t)
	use(start(sends))
}

func TestGoleakMended(t *testing.T) {
	defer goleak.VerifyNone(t)
	use(start(sendsOrStops))
}

func TestLeaktest(t *testing.T) {
	defer leaktest.Check(t)()
	p := start(sendsOrStops)
	use(p)
	<-p.done
}

func TestLeaktestDefect(t *testing.T) {
	defer leaktest.Check(t)()
	use(start(sends))
}

func TestLeaktestMended(t *testing.T) {
	defer leaktest.Check(t)()
	use(start(sendsOrStops))
}
