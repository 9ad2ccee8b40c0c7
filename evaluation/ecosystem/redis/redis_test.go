// Package redis has tests of services with a Redis server in the same process.
package redis

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

func start(t *testing.T) *redis.Client {
	s := miniredis.RunT(t)
	c := redis.NewClient(&redis.Options{Addr: s.Addr(), DisableIdentity: true})
	t.Cleanup(func() { c.Close() })
	if err := c.Ping(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRedis(t *testing.T) {
	c, ctx := start(t), t.Context()
	s := c.Subscribe(ctx, "news")
	defer s.Close()
	if _, err := s.Receive(ctx); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := c.Publish(ctx, "news", "hello").Err(); err != nil {
			t.Error(err)
		}
	})
	if m, err := s.ReceiveMessage(ctx); err != nil || m.Payload != "hello" {
		t.Errorf("got %v, %v", m, err)
	}
	wg.Wait()
	if err := c.Set(ctx, "a", 1, time.Minute).Err(); err != nil {
		t.Error(err)
	}
	if v, err := c.Incr(ctx, "a").Result(); err != nil || v != 2 {
		t.Errorf("got %d, %v", v, err)
	}
}

// likes counts two likes of one page.
func likes(t *testing.T, like func(ctx context.Context, c *redis.Client) error) {
	t.Helper()
	c := start(t)
	ctx := context.Background()
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * 500 * time.Microsecond)
			if err := like(ctx, c); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if v := c.Get(ctx, "likes").Val(); v != "2" {
		t.Errorf("%s likes", v)
	}
}

func TestRedisDefect(t *testing.T) {
	likes(t, func(ctx context.Context, c *redis.Client) error {
		n, _ := strconv.Atoi(c.Get(ctx, "likes").Val())
		return c.Set(ctx, "likes", n+1, 0).Err()
	})
}

func TestRedisMended(t *testing.T) {
	likes(t, func(ctx context.Context, c *redis.Client) error { return c.Incr(ctx, "likes").Err() })
}

// startMini returns a server whose state the test reads directly.
func startMini(t *testing.T) (*miniredis.Miniredis, *redis.Client) {
	s := miniredis.RunT(t)
	c := redis.NewClient(&redis.Options{Addr: s.Addr(), DisableIdentity: true})
	t.Cleanup(func() { c.Close() })
	if err := c.Ping(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	return s, c
}

func TestMiniredis(t *testing.T) {
	s, c := startMini(t)
	if err := c.SetEx(t.Context(), "session", "ann", time.Minute).Err(); err != nil {
		t.Fatal(err)
	}
	s.FastForward(2 * time.Minute)
	if s.Exists("session") {
		t.Error("the session has not expired")
	}
}

// saves lets a worker save a result, and reads it from the server.
func saves(t *testing.T, wait func(saved <-chan struct{})) {
	t.Helper()
	s, c := startMini(t)
	saved := make(chan struct{})
	go func() {
		defer close(saved)
		c.Set(context.Background(), "result", "42", 0)
	}()
	wait(saved)
	if v, err := s.Get("result"); err != nil || v != "42" {
		t.Errorf("got %q, %v", v, err)
	}
	<-saved
}

func TestMiniredisDefect(t *testing.T) {
	saves(t, func(<-chan struct{}) { time.Sleep(500 * time.Microsecond) })
}

func TestMiniredisMended(t *testing.T) { saves(t, func(saved <-chan struct{}) { <-saved }) }
