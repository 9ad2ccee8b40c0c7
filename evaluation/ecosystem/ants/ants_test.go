// Package ants has tests of a service with a pool of goroutines.
package ants

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/panjf2000/ants/v2"
)

func TestAnts(t *testing.T) {
	p, err := ants.NewPool(2)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Release()
	var sum atomic.Int32
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Add(1)
		if err := p.Submit(func() { defer wg.Done(); sum.Add(int32(i)) }); err != nil {
			t.Fatal(err)
		}
	}
	wg.Wait()
	if sum.Load() != 6 {
		t.Errorf("sum %d", sum.Load())
	}
}

// late submits a job while the service stops, and waits until it is done or refused.
func late(t *testing.T, submit func(p *ants.Pool, jobs *sync.WaitGroup)) {
	p, err := ants.NewPool(2)
	if err != nil {
		t.Fatal(err)
	}
	var jobs, clients sync.WaitGroup
	clients.Go(func() { submit(p, &jobs) })
	time.Sleep(500 * time.Microsecond)
	p.Release()
	clients.Wait()
	jobs.Wait()
}

func TestAntsDefect(t *testing.T) {
	late(t, func(p *ants.Pool, jobs *sync.WaitGroup) {
		jobs.Add(1)
		if err := p.Submit(jobs.Done); err != nil {
			return
		}
	})
}

func TestAntsMended(t *testing.T) {
	late(t, func(p *ants.Pool, jobs *sync.WaitGroup) {
		jobs.Add(1)
		if err := p.Submit(jobs.Done); err != nil {
			jobs.Done()
		}
	})
}
