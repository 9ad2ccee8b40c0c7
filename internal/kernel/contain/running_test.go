package contain

import (
	"testing"
	"time"
)

// Running counts goroutines that checked code has started, also indirectly, and no others.
func TestRunning(t *testing.T) {
	if n := Running(); n != 0 {
		t.Fatalf("%d goroutines of checked code run before there is any", n)
	}
	end := make(chan struct{})
	await := func() { <-end }
	go await()
	Call(nil, func() {
		go await()
		go func() { go await() }()
	})
	Guard(func() { go await() })
	expect(t, 3)
	close(end)
	expect(t, 0)
}

func expect(t *testing.T, want int) {
	t.Helper()
	var n int
	for range 1000 {
		if n = Running(); n == want {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines of checked code run, want %d", n, want)
}
