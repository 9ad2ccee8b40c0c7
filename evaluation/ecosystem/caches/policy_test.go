package caches

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dgraph-io/ristretto/v2"
	"github.com/golang/groupcache"
	"github.com/golang/groupcache/singleflight"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/jellydator/ttlcache/v3"
	"github.com/maypok86/otter/v2"
)

func newRistretto(t *testing.T) *ristretto.Cache[string, string] {
	c, err := ristretto.NewCache(&ristretto.Config[string, string]{
		NumCounters: 1000, MaxCost: 100, BufferItems: 64, IgnoreInternalCost: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestRistretto(t *testing.T) {
	c := newRistretto(t)
	together(3, func(i int) { c.Set(fmt.Sprint(i), "v", 1) })
	c.Wait()
	for i := range 3 {
		if v, ok := c.Get(fmt.Sprint(i)); !ok || v != "v" {
			t.Errorf("%d: %q, %v", i, v, ok)
		}
	}
}

// The value that was set is not there before the cache's goroutine has processed it.
func TestRistrettoDefect(t *testing.T) {
	c := newRistretto(t)
	c.Set("user", "ann", 1)
	time.Sleep(500 * time.Microsecond)
	if v, ok := c.Get("user"); !ok || v != "ann" {
		t.Errorf("got %q, %v", v, ok)
	}
}

func TestRistrettoMended(t *testing.T) {
	c := newRistretto(t)
	c.Set("user", "ann", 1)
	c.Wait()
	if v, ok := c.Get("user"); !ok || v != "ann" {
		t.Errorf("got %q, %v", v, ok)
	}
}

func TestLRU(t *testing.T) {
	var mu sync.Mutex
	evicted := 0
	c, err := lru.NewWithEvict(2, func(int, string) { mu.Lock(); evicted++; mu.Unlock() })
	if err != nil {
		t.Fatal(err)
	}
	together(4, func(i int) { c.Add(i, "v") })
	if c.Len() != 2 || evicted != 2 {
		t.Errorf("%d entries, %d evicted", c.Len(), evicted)
	}
}

func TestLRUDefect(t *testing.T) {
	c, _ := lru.New[string, string](8)
	s := &store{}
	loadsOnce(t, s, func(key string) string {
		if !c.Contains(key) {
			c.Add(key, s.load(key))
		}
		v, _ := c.Get(key)
		return v
	})
}

func TestLRUMended(t *testing.T) {
	c, _ := lru.New[string, func() string](8)
	s := &store{}
	loadsOnce(t, s, func(key string) string {
		c.ContainsOrAdd(key, sync.OnceValue(func() string { return s.load(key) }))
		v, _ := c.Get(key)
		return v()
	})
}

// groups counts the groups of this process, which have different names.
var groups atomic.Int32

func TestGroupCache(t *testing.T) {
	s := &store{}
	name := fmt.Sprint("group ", groups.Add(1))
	g := groupcache.NewGroup(name, 1<<16, groupcache.GetterFunc(
		func(_ context.Context, key string, dest groupcache.Sink) error { return dest.SetString(s.load(key)) }))
	loadsOnce(t, s, func(key string) string {
		var v string
		if err := g.Get(t.Context(), key, groupcache.StringSink(&v)); err != nil {
			t.Error(err)
		}
		return v
	})
}

// A group of calls joins those that overlap. It does not remember results.
func TestGroupCacheDefect(t *testing.T) {
	var g singleflight.Group
	s := &store{}
	loadsOnce(t, s, func(key string) string {
		v, _ := g.Do(key, func() (any, error) {
			time.Sleep(500 * time.Microsecond)
			return s.load(key), nil
		})
		return v.(string)
	})
}

func TestGroupCacheMended(t *testing.T) {
	var g singleflight.Group
	var mu sync.Mutex
	s, loaded := &store{}, map[string]string{}
	loadsOnce(t, s, func(key string) string {
		v, _ := g.Do(key, func() (any, error) {
			mu.Lock()
			defer mu.Unlock()
			if _, ok := loaded[key]; !ok {
				loaded[key] = s.load(key)
			}
			return loaded[key], nil
		})
		return v.(string)
	})
}

func TestOtter(t *testing.T) {
	c := otter.Must(&otter.Options[string, string]{MaximumSize: 10})
	defer c.StopAllGoroutines()
	s := &store{}
	loader := otter.LoaderFunc[string, string](func(_ context.Context, key string) (string, error) { return s.load(key), nil })
	loadsOnce(t, s, func(key string) string {
		v, err := c.Get(t.Context(), key, loader)
		if err != nil {
			t.Error(err)
		}
		return v
	})
}

func TestOtterDefect(t *testing.T) {
	c := otter.Must(&otter.Options[string, string]{MaximumSize: 10})
	defer c.StopAllGoroutines()
	value := func() string { v, _ := c.GetIfPresent("hits"); return v }
	hits(t, func() { c.Set("hits", next(value())) }, value)
}

func TestOtterMended(t *testing.T) {
	c := otter.Must(&otter.Options[string, string]{MaximumSize: 10})
	defer c.StopAllGoroutines()
	hits(t, func() {
		c.Compute("hits", func(old string, _ bool) (string, otter.ComputeOp) { return next(old), otter.WriteOp })
	}, func() string { v, _ := c.GetIfPresent("hits"); return v })
}

func TestTTLCache(t *testing.T) {
	c := ttlcache.New(ttlcache.WithTTL[string, int](20 * time.Millisecond))
	go c.Start()
	defer c.Stop()
	expired := make(chan string, 1)
	c.OnEviction(func(_ context.Context, _ ttlcache.EvictionReason, i *ttlcache.Item[string, int]) { expired <- i.Key() })
	c.Set("a", 1, ttlcache.DefaultTTL)
	if key := <-expired; key != "a" || c.Len() != 0 {
		t.Errorf("%q expired, %d left", key, c.Len())
	}
}

// An item that two requests find missing is created twice.
func TestTTLCacheDefect(t *testing.T) {
	c, s := ttlcache.New[string, string](), &store{}
	loadsOnce(t, s, func(key string) string {
		if i := c.Get(key); i != nil {
			return i.Value()
		}
		return c.Set(key, s.load(key), ttlcache.NoTTL).Value()
	})
}

func TestTTLCacheMended(t *testing.T) {
	c, s := ttlcache.New[string, func() string](), &store{}
	loadsOnce(t, s, func(key string) string {
		i, _ := c.GetOrSet(key, sync.OnceValue(func() string { return s.load(key) }))
		return i.Value()()
	})
}
