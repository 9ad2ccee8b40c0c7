// Package retries has tests of services that repeat, limit or cut off calls.
package retries

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/avast/retry-go/v4"
	"github.com/cenkalti/backoff/v5"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	goretry "github.com/sethvargo/go-retry"
	"github.com/sony/gobreaker/v2"
	"go.uber.org/ratelimit"
	"golang.org/x/time/rate"
)

var errBusy = errors.New("busy")

// stop is a context that another goroutine cancels.
func stop(t *testing.T) (context.Context, context.CancelFunc) { return context.WithCancel(t.Context()) }

func TestBackoff(t *testing.T) {
	tries := 0
	got, err := backoff.Retry(t.Context(), func() (string, error) {
		if tries++; tries < 3 {
			return "", errBusy
		}
		return "ok", nil
	}, backoff.WithBackOff(backoff.NewConstantBackOff(time.Millisecond)))
	if err != nil || got != "ok" || tries != 3 {
		t.Errorf("%q, %v after %d tries", got, err, tries)
	}
}

// reconnect tries until another goroutine has started the server.
func reconnect(t *testing.T, tries uint) {
	var up atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() { up.Store(true) })
	_, err := backoff.Retry(t.Context(), func() (bool, error) {
		if !up.Load() {
			return false, errBusy
		}
		return true, nil
	}, backoff.WithBackOff(backoff.NewConstantBackOff(200*time.Microsecond)), backoff.WithMaxTries(tries))
	wg.Wait()
	if err != nil {
		t.Error(err)
	}
}

func TestBackoffDefect(t *testing.T) { reconnect(t, 3) }

func TestBackoffMended(t *testing.T) { reconnect(t, 0) }

func TestRetryGo(t *testing.T) {
	var tries atomic.Int32
	err := retry.Do(func() error {
		if tries.Add(1) < 3 {
			return errBusy
		}
		return nil
	}, retry.Context(t.Context()), retry.Delay(time.Millisecond))
	if err != nil || tries.Load() != 3 {
		t.Errorf("%v after %d tries", err, tries.Load())
	}
}

// poll asks until there is a reply. The caller gives up when its context ends.
func poll(t *testing.T, replies chan int) {
	ctx, cancel := stop(t)
	go func() {
		retry.Do(func() error { replies <- 1; return nil }, retry.Context(ctx))
	}()
	time.AfterFunc(500*time.Microsecond, cancel)
	select {
	case <-replies:
		cancel()
	case <-ctx.Done():
	}
}

func TestRetryGoDefect(t *testing.T) { poll(t, make(chan int)) }

func TestRetryGoMended(t *testing.T) { poll(t, make(chan int, 1)) }

func TestGoRetry(t *testing.T) {
	tries := 0
	err := goretry.Do(t.Context(), goretry.WithMaxRetries(3, goretry.NewConstant(time.Millisecond)), func(context.Context) error {
		if tries++; tries < 3 {
			return goretry.RetryableError(errBusy)
		}
		return nil
	})
	if err != nil || tries != 3 {
		t.Errorf("%v after %d tries", err, tries)
	}
}

// claim lets two workers take one task, with retries while it is locked.
func claim(t *testing.T, take func(owner *atomic.Int32, id int32) error) {
	t.Helper()
	var owner, owners atomic.Int32
	var wg sync.WaitGroup
	for id := range int32(2) {
		wg.Go(func() {
			err := goretry.Do(t.Context(), goretry.WithMaxRetries(1, goretry.NewConstant(time.Millisecond)),
				func(context.Context) error { return take(&owner, id+1) })
			if err == nil {
				owners.Add(1)
			}
		})
	}
	wg.Wait()
	if owners.Load() != 1 {
		t.Errorf("%d owners", owners.Load())
	}
}

func TestGoRetryDefect(t *testing.T) {
	claim(t, func(owner *atomic.Int32, id int32) error {
		if owner.Load() != 0 {
			return goretry.RetryableError(errBusy)
		}
		owner.Store(id)
		return nil
	})
}

func TestGoRetryMended(t *testing.T) {
	claim(t, func(owner *atomic.Int32, id int32) error {
		if !owner.CompareAndSwap(0, id) {
			return goretry.RetryableError(errBusy)
		}
		return nil
	})
}

func TestFailsafe(t *testing.T) {
	policy := retrypolicy.NewBuilder[int]().WithDelay(time.Millisecond).WithMaxRetries(3).Build()
	var tries atomic.Int32
	result := failsafe.With(policy).GetAsync(func() (int, error) {
		if tries.Add(1) < 3 {
			return 0, errBusy
		}
		return 7, nil
	})
	<-result.Done()
	if got, err := result.Get(); err != nil || got != 7 {
		t.Errorf("%d, %v", got, err)
	}
}

// watch reports retries to a display, which is closed after a while.
func watch(t *testing.T, report func(display chan<- string, closed <-chan struct{})) {
	display, closed := make(chan string), make(chan struct{})
	policy := retrypolicy.NewBuilder[int]().OnRetry(func(failsafe.ExecutionEvent[int]) { report(display, closed) }).Build()
	go func() {
		defer close(closed)
		select {
		case <-display:
		case <-time.After(700 * time.Microsecond):
		}
	}()
	tries := 0
	got, err := failsafe.With(policy).Get(func() (int, error) {
		if tries++; tries == 1 {
			return 0, errBusy
		}
		return 7, nil
	})
	if err != nil || got != 7 {
		t.Errorf("%d, %v", got, err)
	}
}

func TestFailsafeDefect(t *testing.T) {
	watch(t, func(display chan<- string, _ <-chan struct{}) { display <- "again" })
}

func TestFailsafeMended(t *testing.T) {
	watch(t, func(display chan<- string, closed <-chan struct{}) {
		select {
		case display <- "again":
		case <-closed:
		}
	})
}

func TestRate(t *testing.T) {
	l := rate.NewLimiter(rate.Every(10*time.Millisecond), 1)
	start := time.Now()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if err := l.Wait(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if d := time.Since(start); d < 20*time.Millisecond {
		t.Errorf("three calls in %v", d)
	}
}

// burst lets two clients in, where one is allowed.
func burst(t *testing.T, allow func(l *rate.Limiter) bool) {
	t.Helper()
	l := rate.NewLimiter(rate.Every(time.Hour), 1)
	var passed atomic.Int32
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if allow(l) {
				passed.Add(1)
			}
		})
	}
	wg.Wait()
	if passed.Load() != 1 {
		t.Errorf("%d passed", passed.Load())
	}
}

func TestRateDefect(t *testing.T) {
	burst(t, func(l *rate.Limiter) bool {
		if l.Tokens() < 1 {
			return false
		}
		l.Allow()
		return true
	})
}

func TestRateMended(t *testing.T) { burst(t, (*rate.Limiter).Allow) }

func TestRatelimit(t *testing.T) {
	l := ratelimit.New(100, ratelimit.WithoutSlack)
	first := l.Take()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { l.Take() })
	}
	wg.Wait()
	if d := l.Take().Sub(first); d < 29*time.Millisecond {
		t.Errorf("four calls in %v", d)
	}
}

// send takes n at a limited rate until quit.
func send(l ratelimit.Limiter, quit <-chan struct{}, out chan<- int, deliver func(quit <-chan struct{}, out chan<- int, i int)) {
	defer close(out)
	for i := range 3 {
		l.Take()
		select {
		case <-quit:
			return
		default:
		}
		deliver(quit, out, i)
	}
}

func quitEarly(deliver func(quit <-chan struct{}, out chan<- int, i int)) {
	quit, out := make(chan struct{}), make(chan int)
	go send(ratelimit.New(1000, ratelimit.WithoutSlack), quit, out, deliver)
	<-out
	<-out
	close(quit)
}

func TestRatelimitDefect(t *testing.T) {
	quitEarly(func(_ <-chan struct{}, out chan<- int, i int) { out <- i })
}

func TestRatelimitMended(t *testing.T) {
	quitEarly(func(quit <-chan struct{}, out chan<- int, i int) {
		select {
		case out <- i:
		case <-quit:
		}
	})
}

func newBreaker() *gobreaker.CircuitBreaker[int] {
	return gobreaker.NewCircuitBreaker[int](gobreaker.Settings{Timeout: 20 * time.Millisecond,
		ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= 2 }})
}

func TestGobreaker(t *testing.T) {
	b := newBreaker()
	for range 2 {
		b.Execute(func() (int, error) { return 0, errBusy })
	}
	if _, err := b.Execute(func() (int, error) { return 1, nil }); err != gobreaker.ErrOpenState {
		t.Errorf("got %v", err)
	}
	time.Sleep(30 * time.Millisecond)
	if v, err := b.Execute(func() (int, error) { return 1, nil }); err != nil || v != 1 {
		t.Errorf("got %d, %v", v, err)
	}
}

// failing lets two clients fail, and expects that a third one is cut off.
func failing(t *testing.T, settle func(clients *sync.WaitGroup)) {
	t.Helper()
	b := newBreaker()
	var clients sync.WaitGroup
	for range 2 {
		clients.Go(func() { b.Execute(func() (int, error) { return 0, errBusy }) })
	}
	settle(&clients)
	if s := b.State(); s != gobreaker.StateOpen {
		t.Errorf("the breaker is %v", s)
	}
	clients.Wait()
}

func TestGobreakerDefect(t *testing.T) {
	failing(t, func(*sync.WaitGroup) { time.Sleep(900 * time.Microsecond) })
}

func TestGobreakerMended(t *testing.T) { failing(t, (*sync.WaitGroup).Wait) }
