package contain

import (
	"sync/atomic"
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

// A step waits for its goroutines although another goroutine ends meanwhile.
func TestStarted_WaitsThough(t *testing.T) {
	var s Started
	other := make(chan struct{})
	var ended atomic.Bool
	go func() { <-other }()
	step := func() {
		close(other)
		go func() {
			time.Sleep(10 * time.Millisecond)
			ended.Store(true)
		}()
	}
	if left := s.By(func() { Call(nil, step) }, 1); left != 0 || !ended.Load() {
		t.Errorf("%d goroutines left, ended: %v", left, ended.Load())
	}
}

// A goroutine that a step leaves running counts even if another one ends meanwhile, and in no later step.
func TestStarted(t *testing.T) {
	var s Started
	end, other := make(chan struct{}), make(chan struct{})
	defer func() {
		close(end)
		expect(t, 0)
	}()
	go func() { <-other }()
	leave := func() { go func() { <-end }() }
	for i, c := range []struct {
		step func()
		want int
	}{
		{func() {}, 0},
		{func() { go func() {}() }, 0},
		{func() { close(other); leave() }, 1},
		{func() {}, 0},
		{func() { leave(); leave() }, 2},
	} {
		if left := s.By(func() { Call(nil, c.step) }, 1); left != c.want {
			t.Errorf("step %d leaves %d goroutines, want %d", i, left, c.want)
		}
	}
}
