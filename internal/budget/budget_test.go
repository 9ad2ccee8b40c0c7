package budget

import (
	"context"
	"errors"
	"os/exec"
	"runtime"
	"testing"
	"time"
)

// On an idle machine, and while a process is blocked, all time counts. On a busy machine only the time on a processor
// counts, and at least a tenth.
func TestShare(t *testing.T) {
	const s = time.Second
	for _, c := range []struct {
		name             string
		running, waiting time.Duration
		known            bool
		want             time.Duration
	}{
		{"two busy threads", 20 * s, 0, true, 10 * s},
		{"one busy thread", 10 * s, 0, true, 10 * s},
		{"blocked", 0, 0, true, 10 * s},
		{"hardly busy, on a busy machine", 1 * s, 2 * s, true, 8 * s},
		{"one thread that has half a processor", 5 * s, 5 * s, true, 5 * s},
		{"two threads that have half a processor each", 10 * s, 10 * s, true, 5 * s},
		{"one thread that hardly has one", s / 10, 10*s - s/10, true, s},
		{"busy, waiting is not known", 20 * s, 0, false, 10 * s},
		{"half busy, waiting is not known", 5 * s, 0, false, 5 * s},
		{"blocked, waiting is not known", 0, 0, false, s},
	} {
		if got := share(10*s, usage{c.running, c.waiting}, c.known); got != c.want {
			t.Errorf("%s: %v of 10s count, want %v", c.name, got, c.want)
		}
	}
}

// A deadline passes on the clock of the process, also for derived contexts, and the nearest one counts.
func TestWithDeadline(t *testing.T) {
	far, cancel := WithTimeout(t.Context(), time.Hour)
	defer cancel()
	near, cancelNear := WithTimeout(far, 100*time.Millisecond)
	defer cancelNear()
	child, cancelChild := context.WithCancel(near)
	defer cancelChild()
	beyond, cancelBeyond := WithTimeout(near, time.Hour)
	defer cancelBeyond()
	before := Now()
	if near.Err() != nil {
		t.Fatalf("at the beginning: %v", near.Err())
	}
	<-child.Done()
	<-beyond.Done()
	for name, ctx := range map[string]context.Context{"the context": near, "one derived from it": child, "one with a later deadline": beyond} {
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, ctx.Err())
		}
	}
	if took := Now() - before; took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	if far.Err() != nil {
		t.Errorf("the outer one: %v", far.Err())
	}
	cancel()
	<-far.Done()
	if far.Err() != context.Canceled {
		t.Errorf("cancelled: %v", far.Err())
	}
	if _, ok := Deadline(t.Context()); ok {
		t.Error("a context without a deadline has one")
	}
}

// The clock of a sleeping process follows real time.
func TestClock(t *testing.T) {
	began := time.Now()
	c := NewClock(0)
	time.Sleep(300 * time.Millisecond)
	if got, passed := c.Elapsed(), time.Since(began); got < passed/MostWaiting || got > passed {
		t.Errorf("after %v: %v", passed, got)
	}
}

// The clock of an idle process stops while a process for which it waits has no processor.
func TestAwait(t *testing.T) {
	if _, known := threads(0); !known || runtime.GOOS != "linux" {
		t.Skip("waiting times are unknown")
	}
	var pid int
	for range 2 * runtime.NumCPU() {
		cmd := exec.Command("sh", "-c", "while :; do :; done")
		if err := cmd.Start(); err != nil {
			t.Skip(err)
		}
		defer cmd.Wait()
		defer cmd.Process.Kill()
		pid = cmd.Process.Pid
	}
	began, c := time.Now(), NewClock(0)
	end := c.Await(pid)
	time.Sleep(time.Second)
	if got, passed := c.Elapsed(), time.Since(began); got > passed*3/4 {
		t.Errorf("%v passed while the other process had at most half of %v on a processor", got, passed)
	}
	if end(); len(c.awaited) > 0 {
		t.Errorf("after the end, the clock awaits %d", c.awaited)
	}
}

// Processor time passes only while the process is busy, and is not a deadline on the clock of [Now].
func TestWithProcessorTime(t *testing.T) {
	if ProcessTime() == 0 {
		t.Skip("the processor time is unknown")
	}
	ctx, cancel := WithProcessorTime(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, ok := Deadline(ctx); ok {
		t.Error("it has a deadline on the clock of the process")
	}
	began := ProcessTime()
	for ctx.Err() == nil && ProcessTime()-began < 10*time.Second {
	}
	if used := ProcessTime() - began; !errors.Is(ctx.Err(), context.DeadlineExceeded) || used < 150*time.Millisecond {
		t.Errorf("%v after %v of processor time, want the end after 200ms", ctx.Err(), used)
	}
	idle, cancelIdle := WithProcessorTime(t.Context(), 10*time.Second)
	defer cancelIdle()
	time.Sleep(100 * time.Millisecond)
	if idle.Err() != nil {
		t.Errorf("an idle process: %v", idle.Err())
	}
}
