// Package asynq has tests of a service with a queue of tasks in Redis.
package asynq

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/hibiken/asynq"
)

type quiet struct{}

func (quiet) Debug(...any) {}
func (quiet) Info(...any)  {}
func (quiet) Warn(...any)  {}
func (quiet) Error(...any) {}
func (quiet) Fatal(...any) {}

// start starts a server with two workers, and returns a client of its queue.
func start(t *testing.T, handle asynq.HandlerFunc) (c *asynq.Client, stop func()) {
	at := asynq.RedisClientOpt{Addr: miniredis.RunT(t).Addr()}
	s := asynq.NewServer(at, asynq.Config{Concurrency: 2, Logger: quiet{}, TaskCheckInterval: 200 * time.Millisecond})
	if err := s.Start(handle); err != nil {
		t.Fatal(err)
	}
	c = asynq.NewClient(at)
	return c, s.Shutdown
}

func enqueue(t *testing.T, c *asynq.Client, names ...string) {
	for _, name := range names {
		if _, err := c.EnqueueContext(t.Context(), asynq.NewTask(name, nil)); err != nil {
			t.Error(err)
		}
	}
}

func TestAsynq(t *testing.T) {
	done := make(chan string, 2)
	c, stop := start(t, func(_ context.Context, task *asynq.Task) error { done <- task.Type(); return nil })
	enqueue(t, c, "mail", "mail")
	if a, b := <-done, <-done; a != "mail" || b != "mail" {
		t.Errorf("got %q and %q", a, b)
	}
	c.Close()
	stop()
}

// reports starts a task, and reads its result when it is done.
func reports(t *testing.T, finish func(store func(), done func())) {
	t.Helper()
	var result atomic.Int32
	done := make(chan struct{})
	c, stop := start(t, func(context.Context, *asynq.Task) error {
		finish(func() { result.Store(42) }, func() { close(done) })
		return nil
	})
	enqueue(t, c, "compute")
	<-done
	c.Close()
	if n := result.Load(); n != 42 {
		t.Errorf("the result is %d", n)
	}
	stop()
}

// The task reports that it is done before it has stored its result.
func TestAsynqDefect(t *testing.T) {
	reports(t, func(store, done func()) { done(); store() })
}

func TestAsynqMended(t *testing.T) {
	reports(t, func(store, done func()) { store(); done() })
}
