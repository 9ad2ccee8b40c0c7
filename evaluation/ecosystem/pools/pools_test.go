// Package pools has tests of services that hand jobs to other goroutines.
package pools

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alitto/pond/v2"
	"github.com/gammazero/workerpool"
	"github.com/jackc/puddle/v2"
	"github.com/sourcegraph/conc/pool"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"
)

func TestErrgroup(t *testing.T) {
	g, ctx := errgroup.WithContext(t.Context())
	failed := errors.New("failed")
	g.Go(func() error { return failed })
	g.Go(func() error { <-ctx.Done(); return ctx.Err() })
	if err := g.Wait(); err != failed {
		t.Errorf("got %v", err)
	}
}

// fetch returns what a backend sends, unless validation fails before.
func fetch(t *testing.T, send func(ctx context.Context, results chan<- int) error) {
	g, ctx := errgroup.WithContext(t.Context())
	results := make(chan int)
	g.Go(func() error { return send(ctx, results) })
	g.Go(func() error { time.Sleep(500 * time.Microsecond); return errors.New("invalid") })
	select {
	case <-results:
	case <-ctx.Done():
	}
	if err := g.Wait(); err == nil {
		t.Error("valid")
	}
}

func TestErrgroupDefect(t *testing.T) {
	fetch(t, func(_ context.Context, results chan<- int) error { results <- 1; return nil })
}

func TestErrgroupMended(t *testing.T) {
	fetch(t, func(ctx context.Context, results chan<- int) error {
		select {
		case results <- 1:
		case <-ctx.Done():
		}
		return nil
	})
}

func TestSemaphore(t *testing.T) {
	s := semaphore.NewWeighted(2)
	var now, most atomic.Int32
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if err := s.Acquire(t.Context(), 1); err != nil {
				t.Error(err)
				return
			}
			defer s.Release(1)
			n := now.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			now.Add(-1)
		})
	}
	wg.Wait()
	if most.Load() > 2 {
		t.Errorf("%d at a time", most.Load())
	}
}

// Two copies take two units each, one after the other.
func copies(t *testing.T, acquire func(s *semaphore.Weighted) error) {
	s := semaphore.NewWeighted(2)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if err := acquire(s); err != nil {
				t.Error(err)
				return
			}
			s.Release(2)
		})
	}
	wg.Wait()
}

func TestSemaphoreDefect(t *testing.T) {
	copies(t, func(s *semaphore.Weighted) error {
		return errors.Join(s.Acquire(context.Background(), 1), s.Acquire(context.Background(), 1))
	})
}

func TestSemaphoreMended(t *testing.T) {
	copies(t, func(s *semaphore.Weighted) error { return s.Acquire(context.Background(), 2) })
}

func TestSingleflight(t *testing.T) {
	var g singleflight.Group
	first := g.DoChan("a", func() (any, error) { return 1, nil })
	second := g.DoChan("b", func() (any, error) { return 2, nil })
	if a, b := <-first, <-second; a.Val != 1 || b.Val != 2 {
		t.Errorf("got %v and %v", a.Val, b.Val)
	}
}

// users remembers what it loads.
type users struct {
	group singleflight.Group
	known sync.Map
	loads atomic.Int32
}

func (u *users) load(name string) any {
	time.Sleep(500 * time.Microsecond)
	u.loads.Add(1)
	u.known.Store(name, "user "+name)
	return "user " + name
}

// loadOnce lets two requests read a user, who is to be loaded once.
func loadOnce(t *testing.T, read func(u *users) any) {
	t.Helper()
	var u users
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if v := read(&u); v != "user ann" {
				t.Errorf("got %v", v)
			}
		})
	}
	wg.Wait()
	if n := u.loads.Load(); n != 1 {
		t.Errorf("%d loads", n)
	}
}

// The second request sees no user, and calls Do when the first one's call has ended.
func TestSingleflightDefect(t *testing.T) {
	loadOnce(t, func(u *users) any {
		if v, ok := u.known.Load("ann"); ok {
			return v
		}
		v, _, _ := u.group.Do("ann", func() (any, error) { return u.load("ann"), nil })
		return v
	})
}

func TestSingleflightMended(t *testing.T) {
	loadOnce(t, func(u *users) any {
		v, _, _ := u.group.Do("ann", func() (any, error) {
			if v, ok := u.known.Load("ann"); ok {
				return v, nil
			}
			return u.load("ann"), nil
		})
		return v
	})
}

// fanOut hands three jobs to a pool, and collects their results.
func fanOut(t *testing.T, submit func(job func())) {
	t.Helper()
	var mu sync.Mutex
	var wg sync.WaitGroup
	var results []int
	for i := range 3 {
		wg.Add(1)
		submit(func() { defer wg.Done(); mu.Lock(); results = append(results, i); mu.Unlock() })
	}
	wg.Wait()
	if len(results) != 3 {
		t.Errorf("%d results", len(results))
	}
}

func TestPond(t *testing.T) {
	p := pond.NewResultPool[int](2)
	defer p.StopAndWait()
	group := p.NewGroup()
	for i := range 4 {
		group.Submit(func() int { return i * i })
	}
	results, err := group.Wait()
	if err != nil || len(results) != 4 || results[3] != 9 {
		t.Errorf("got %v, %v", results, err)
	}
}

func TestPondDefect(t *testing.T) {
	p := pond.NewPool(2)
	defer p.StopAndWait()
	var balance, bad atomic.Int32
	balance.Store(1)
	for range 2 {
		p.Submit(func() {
			if balance.Load() > 0 && balance.Add(-1) < 0 {
				bad.Add(1)
			}
		})
	}
	p.StopAndWait()
	if bad.Load() != 0 {
		t.Error("the balance was negative")
	}
}

func TestPondMended(t *testing.T) {
	p := pond.NewPool(2)
	defer p.StopAndWait()
	var balance, bad atomic.Int32
	balance.Store(1)
	for range 2 {
		p.Submit(func() {
			if b := balance.Load(); b > 0 && balance.CompareAndSwap(b, b-1) && b-1 < 0 {
				bad.Add(1)
			}
		})
	}
	p.StopAndWait()
	if bad.Load() != 0 {
		t.Error("the balance was negative")
	}
}

func TestConc(t *testing.T) {
	p := pool.NewWithResults[int]().WithErrors().WithMaxGoroutines(2)
	for i := range 4 {
		p.Go(func() (int, error) { return i, nil })
	}
	results, err := p.Wait()
	if err != nil || len(results) != 4 || results[2] != 2 {
		t.Errorf("got %v, %v", results, err)
	}
}

// total adds the sizes of two files.
func total(t *testing.T, add func(sum *atomic.Int64, size int64)) {
	t.Helper()
	var sum atomic.Int64
	p := pool.New()
	for _, size := range []int64{3, 4} {
		p.Go(func() { add(&sum, size) })
	}
	p.Wait()
	if got := sum.Load(); got != 7 {
		t.Errorf("sum %d", got)
	}
}

func TestConcDefect(t *testing.T) {
	total(t, func(sum *atomic.Int64, size int64) { sum.Store(sum.Load() + size) })
}

func TestConcMended(t *testing.T) {
	total(t, func(sum *atomic.Int64, size int64) { sum.Add(size) })
}

func TestWorkerpool(t *testing.T) {
	p := workerpool.New(2)
	fanOut(t, p.Submit)
	p.StopWait()
}

// Stop drops the jobs that wait. What was not executed is missing.
func drained(t *testing.T, stop func(p *workerpool.WorkerPool)) {
	p := workerpool.New(1)
	var done atomic.Int32
	started := make(chan struct{}, 2)
	for range 2 {
		p.Submit(func() { done.Add(1); started <- struct{}{} })
	}
	<-started
	time.Sleep(500 * time.Microsecond)
	stop(p)
	if done.Load() != 2 {
		t.Errorf("%d jobs are done", done.Load())
	}
}

func TestWorkerpoolDefect(t *testing.T) { drained(t, (*workerpool.WorkerPool).Stop) }

func TestWorkerpoolMended(t *testing.T) { drained(t, (*workerpool.WorkerPool).StopWait) }

func newPuddle(t *testing.T, size int32) *puddle.Pool[int] {
	var made atomic.Int32
	p, err := puddle.NewPool(&puddle.Config[int]{
		Constructor: func(context.Context) (int, error) { return int(made.Add(1)), nil },
		Destructor:  func(int) {},
		MaxSize:     size,
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPuddle(t *testing.T) {
	p := newPuddle(t, 2)
	defer p.Close()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			r, err := p.Acquire(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			r.Release()
		})
	}
	wg.Wait()
	if s := p.Stat(); s.AcquiredResources() != 0 || s.TotalResources() > 2 {
		t.Errorf("%d of %d in use", s.AcquiredResources(), s.TotalResources())
	}
}

// Two requests need two connections each: one for the query, one for the update inside its loop.
func requests(t *testing.T, request func(p *puddle.Pool[int])) {
	p := newPuddle(t, 2)
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * 500 * time.Microsecond)
			request(p)
		})
	}
	wg.Wait()
	p.Close()
}

func TestPuddleDefect(t *testing.T) {
	requests(t, func(p *puddle.Pool[int]) {
		query, _ := p.Acquire(context.Background())
		update, _ := p.Acquire(context.Background())
		update.Release()
		query.Release()
	})
}

func TestPuddleMended(t *testing.T) {
	requests(t, func(p *puddle.Pool[int]) {
		query, _ := p.Acquire(context.Background())
		query.Release()
		update, _ := p.Acquire(context.Background())
		update.Release()
	})
}
