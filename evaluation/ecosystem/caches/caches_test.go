// Package caches has tests of services that keep values in a cache.
package caches

import (
	"strconv"
	"sync"
	"testing"
	"time"
)

// store is the database behind a cache. It counts its loads.
type store struct {
	mu    sync.Mutex
	loads int
}

func (s *store) load(key string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loads++
	return "value of " + key
}

func (s *store) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.loads
}

// together executes n functions at the same time, and waits for them.
func together(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

// loadsOnce lets two requests read one key, which is to be loaded once.
func loadsOnce(t *testing.T, s *store, get func(key string) string) {
	t.Helper()
	together(2, func(int) {
		if got := get("a"); got != "value of a" {
			t.Errorf("got %q", got)
		}
	})
	if n := s.count(); n != 1 {
		t.Errorf("loaded %d times", n)
	}
}

// hits lets two requests count a hit each.
func hits(t *testing.T, hit func(), value func() string) {
	t.Helper()
	together(2, func(i int) {
		time.Sleep(time.Duration(i) * 500 * time.Microsecond)
		hit()
	})
	if got := value(); got != "2" {
		t.Errorf("%s hits, want 2", got)
	}
}

// next is the text of the number that follows that of a text.
func next(text string) string {
	n, _ := strconv.Atoi(text)
	return strconv.Itoa(n + 1)
}
