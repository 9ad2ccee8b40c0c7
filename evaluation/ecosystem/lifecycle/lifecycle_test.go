// Package lifecycle has tests of services whose parts are made, started and stopped by a library.
package lifecycle

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/oklog/run"
	"github.com/samber/do/v2"
	"go.uber.org/dig"
	"go.uber.org/fx"
	"go.uber.org/fx/fxtest"
	"gopkg.in/tomb.v2"
)

// worker counts until it is stopped.
type worker struct {
	quit, done chan struct{}
	work       chan int
}

func newWorker() *worker { return &worker{make(chan struct{}), make(chan struct{}), make(chan int)} }

func (w *worker) run() {
	defer close(w.done)
	for {
		select {
		case <-w.work:
		case <-w.quit:
			return
		}
	}
}

func TestFx(t *testing.T) {
	var w *worker
	app := fxtest.New(t, fx.NopLogger, fx.Populate(&w), fx.Provide(func(l fx.Lifecycle) *worker {
		w := newWorker()
		l.Append(fx.Hook{
			OnStart: func(context.Context) error { go w.run(); return nil },
			OnStop:  func(context.Context) error { close(w.quit); <-w.done; return nil },
		})
		return w
	}))
	app.RequireStart()
	w.work <- 1
	app.RequireStop()
}

// stopsApp stops an app while a request hands work to its worker.
func stopsApp(t *testing.T, hand func(w *worker, n int)) {
	w := newWorker()
	var requests sync.WaitGroup
	app := fxtest.New(t, fx.NopLogger, fx.Invoke(func(l fx.Lifecycle) {
		l.Append(fx.Hook{
			OnStart: func(context.Context) error { go w.run(); return nil },
			OnStop:  func(context.Context) error { close(w.quit); requests.Wait(); return nil },
		})
	}))
	app.RequireStart()
	requests.Go(func() { hand(w, 1) })
	time.Sleep(500 * time.Microsecond)
	app.RequireStop()
}

func TestFxDefect(t *testing.T) { stopsApp(t, func(w *worker, n int) { w.work <- n }) }

func TestFxMended(t *testing.T) {
	stopsApp(t, func(w *worker, n int) {
		select {
		case w.work <- n:
		case <-w.quit:
		}
	})
}

type database struct{ name string }

func TestDig(t *testing.T) {
	c := dig.New()
	if err := errors.Join(c.Provide(func() string { return "users" }), c.Provide(func(name string) *database { return &database{name} })); err != nil {
		t.Fatal(err)
	}
	err := c.Invoke(func(d *database) {
		if d.name != "users" {
			t.Errorf("got %q", d.name)
		}
	})
	if err != nil {
		t.Error(err)
	}
}

// lazily opens a database when the first of two requests needs it.
func lazily(t *testing.T, get func(mu *sync.Mutex, db **database, open func() *database) *database) {
	t.Helper()
	var mu sync.Mutex
	var db *database
	opened := 0
	c := dig.New()
	if err := c.Provide(func() func() *database {
		return func() *database { opened++; return &database{"users"} }
	}); err != nil {
		t.Fatal(err)
	}
	err := c.Invoke(func(open func() *database) {
		var wg sync.WaitGroup
		for i := range 2 {
			wg.Go(func() {
				time.Sleep(time.Duration(i) * 500 * time.Microsecond)
				get(&mu, &db, open)
			})
		}
		wg.Wait()
	})
	if err != nil || opened != 1 {
		t.Errorf("opened %d times, %v", opened, err)
	}
}

func TestDigDefect(t *testing.T) {
	lazily(t, func(mu *sync.Mutex, db **database, open func() *database) *database {
		mu.Lock()
		d := *db
		mu.Unlock()
		if d == nil {
			mu.Lock()
			d = open()
			*db = d
			mu.Unlock()
		}
		return d
	})
}

func TestDigMended(t *testing.T) {
	lazily(t, func(mu *sync.Mutex, db **database, open func() *database) *database {
		mu.Lock()
		defer mu.Unlock()
		if *db == nil {
			*db = open()
		}
		return *db
	})
}

// Shutdown stops the worker when the container shuts down.
func (w *worker) Shutdown() {
	close(w.quit)
	<-w.done
}

func provideWorker(i do.Injector) (*worker, error) {
	w := newWorker()
	go w.run()
	return w, nil
}

func TestDo(t *testing.T) {
	i := do.New()
	do.Provide(i, provideWorker)
	do.MustInvoke[*worker](i).work <- 1
	if r := i.Shutdown(); !r.Succeed {
		t.Error(r)
	}
}

// stopsContainer shuts a container down while a request uses its worker.
func stopsContainer(hand func(w *worker)) {
	i := do.New()
	do.Provide(i, provideWorker)
	w := do.MustInvoke[*worker](i)
	go hand(w)
	time.Sleep(500 * time.Microsecond)
	i.Shutdown()
}

func TestDoDefect(t *testing.T) { stopsContainer(func(w *worker) { w.work <- 1 }) }

func TestDoMended(t *testing.T) {
	stopsContainer(func(w *worker) {
		select {
		case w.work <- 1:
		case <-w.done:
		}
	})
}

func TestRun(t *testing.T) {
	var g run.Group
	w, failed := newWorker(), errors.New("failed")
	g.Add(func() error { w.run(); return nil }, func(error) { close(w.quit) })
	g.Add(func() error { w.work <- 1; return failed }, func(error) {})
	if err := g.Run(); err != failed {
		t.Errorf("got %v", err)
	}
}

// group runs a worker and an actor that hands work to it. Another actor ends after a while.
func group(t *testing.T, hand func(w *worker) error) {
	var g run.Group
	w := newWorker()
	g.Add(func() error { w.run(); return nil }, func(error) { close(w.quit) })
	g.Add(func() error { return hand(w) }, func(error) {})
	g.Add(func() error { time.Sleep(500 * time.Microsecond); return nil }, func(error) {})
	if err := g.Run(); err != nil {
		t.Error(err)
	}
}

func TestRunDefect(t *testing.T) {
	group(t, func(w *worker) error { w.work <- 1; <-w.quit; return nil })
}

func TestRunMended(t *testing.T) {
	group(t, func(w *worker) error {
		select {
		case w.work <- 1:
			<-w.quit
		case <-w.quit:
		}
		return nil
	})
}

func TestTomb(t *testing.T) {
	var b tomb.Tomb
	failed := errors.New("failed")
	b.Go(func() error { <-b.Dying(); return nil })
	b.Go(func() error { return failed })
	if err := b.Wait(); err != failed {
		t.Errorf("got %v", err)
	}
}

// kills kills a tomb while its goroutine hands over a result.
func kills(t *testing.T, hand func(b *tomb.Tomb, results chan<- int) error) {
	var b tomb.Tomb
	results := make(chan int)
	b.Go(func() error { return hand(&b, results) })
	go func() { time.Sleep(500 * time.Microsecond); b.Kill(nil) }()
	select {
	case <-results:
	case <-b.Dying():
	}
	if err := b.Wait(); err != nil {
		t.Error(err)
	}
}

func TestTombDefect(t *testing.T) {
	kills(t, func(_ *tomb.Tomb, results chan<- int) error { results <- 1; return nil })
}

func TestTombMended(t *testing.T) {
	kills(t, func(b *tomb.Tomb, results chan<- int) error {
		select {
		case results <- 1:
		case <-b.Dying():
		}
		return nil
	})
}
