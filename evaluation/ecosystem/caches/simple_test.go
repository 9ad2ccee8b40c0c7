package caches

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/allegro/bigcache/v3"
	"github.com/coocood/freecache"
	"github.com/patrickmn/go-cache"
)

func TestGoCache(t *testing.T) {
	c := cache.New(time.Minute, 0)
	together(3, func(i int) { c.SetDefault(fmt.Sprint(i), i) })
	if n := c.ItemCount(); n != 3 {
		t.Errorf("%d items", n)
	}
	c.Set("soon", 1, 20*time.Millisecond)
	time.Sleep(30 * time.Millisecond)
	if _, ok := c.Get("soon"); ok {
		t.Error("not expired")
	}
}

func TestGoCacheDefect(t *testing.T) {
	c, s := cache.New(time.Minute, 0), &store{}
	loadsOnce(t, s, func(key string) string {
		if v, ok := c.Get(key); ok {
			return v.(string)
		}
		v := s.load(key)
		c.SetDefault(key, v)
		return v
	})
}

func TestGoCacheMended(t *testing.T) {
	c, s := cache.New(time.Minute, 0), &store{}
	var mu sync.Mutex
	loadsOnce(t, s, func(key string) string {
		mu.Lock()
		defer mu.Unlock()
		if v, ok := c.Get(key); ok {
			return v.(string)
		}
		v := s.load(key)
		c.SetDefault(key, v)
		return v
	})
}

func newBigCache(t *testing.T) *bigcache.BigCache {
	config := bigcache.DefaultConfig(time.Minute)
	config.Shards, config.MaxEntriesInWindow, config.Verbose = 4, 64, false
	c, err := bigcache.New(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestBigCache(t *testing.T) {
	c := newBigCache(t)
	together(4, func(i int) {
		key := fmt.Sprint(i)
		if err := c.Set(key, []byte(key)); err != nil {
			t.Error(err)
		}
		if v, err := c.Get(key); err != nil || string(v) != key {
			t.Errorf("%q, %v", v, err)
		}
	})
	if n := c.Len(); n != 4 {
		t.Errorf("%d entries", n)
	}
}

func TestBigCacheDefect(t *testing.T) {
	c := newBigCache(t)
	value := func() string { v, _ := c.Get("hits"); return string(v) }
	hits(t, func() {
		if err := c.Set("hits", []byte(next(value()))); err != nil {
			t.Error(err)
		}
	}, value)
}

func TestBigCacheMended(t *testing.T) {
	c := newBigCache(t)
	var mu sync.Mutex
	value := func() string { v, _ := c.Get("hits"); return string(v) }
	hits(t, func() {
		mu.Lock()
		defer mu.Unlock()
		if err := c.Set("hits", []byte(next(value()))); err != nil {
			t.Error(err)
		}
	}, value)
}

func TestFreeCache(t *testing.T) {
	c := freecache.NewCache(512 << 10)
	together(4, func(i int) {
		key := fmt.Append(nil, i)
		if err := c.Set(key, key, 60); err != nil {
			t.Error(err)
		}
		if v, err := c.Get(key); err != nil || string(v) != string(key) {
			t.Errorf("%q, %v", v, err)
		}
	})
	if n := c.EntryCount(); n != 4 {
		t.Errorf("%d entries", n)
	}
}

func TestFreeCacheDefect(t *testing.T) {
	c := freecache.NewCache(512 << 10)
	key := []byte("hits")
	value := func() string { v, _ := c.Get(key); return string(v) }
	hits(t, func() {
		if err := c.Set(key, []byte(next(value())), 0); err != nil {
			t.Error(err)
		}
	}, value)
}

func TestFreeCacheMended(t *testing.T) {
	c := freecache.NewCache(512 << 10)
	key := []byte("hits")
	hits(t, func() {
		_, _, err := c.Update(key, func(v []byte, found bool) ([]byte, bool, int) {
			return []byte(next(string(v))), true, 0
		})
		if err != nil {
			t.Error(err)
		}
	}, func() string { v, _ := c.Get(key); return string(v) })
}
