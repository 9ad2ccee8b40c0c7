package lease

import (
	"sync"
	"testing"
	"time"
)

func TestLocks(t *testing.T) {
	var a, b sync.Mutex
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		a.Lock()
		defer a.Unlock()
		b.Lock()
		defer b.Unlock()
	}()
	go func() {
		defer wg.Done()
		b.Lock()
		defer b.Unlock()
		a.Lock()
		defer a.Unlock()
	}()
	wg.Wait()
}

func TestLeak(t *testing.T) {
	results := make(chan int)
	for i := range 2 {
		go func() {
			time.Sleep(time.Duration(i) * time.Millisecond)
			results <- i
		}()
	}
	<-results
}

func TestLost(t *testing.T) {
	n := 0
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			old := n
			mu.Unlock()
			mu.Lock()
			n = old + 1
			mu.Unlock()
		}()
	}
	wg.Wait()
	if n != 2 {
		t.Errorf("n = %d, want 2", n)
	}
}
