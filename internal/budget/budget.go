// Package budget measures time for limits that are as tight on a busy machine as on an idle one: its clocks stop while
// a process waits for a processor.
package budget

import (
	"context"
	"maps"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// sampleEvery is the interval at which a clock reads the processor time of its process.
	sampleEvery = 50 * time.Millisecond
	// MostWaiting bounds the delay of a limit for a process that gets few processors: a clock runs at no less than
	// 1/MostWaiting of real time.
	MostWaiting = 10
)

// usage is the time that threads ran on a processor, and the time that they waited for one.
type usage struct{ running, waiting time.Duration }

// process returns the processor time of a whole process, as of one thread. It is known for this process only; other
// processes count as never waiting.
func process(pid int) (map[int]usage, bool) {
	used := ProcessTime()
	if pid != 0 || used == 0 {
		return nil, true
	}
	return map[int]usage{0: {running: used}}, false
}

// Clock measures real time minus the time for which a process waited for processors, or for other processes that waited
// for them. Time in which the process waits for something else, for example blocked, counts in full. A clock is safe for
// concurrent use.
type Clock struct {
	pid int

	mu      sync.Mutex
	awaited []int     // processes for which pid waits
	at      time.Time // time of the last sample
	threads map[int]usage
	elapsed time.Duration
}

// NewClock returns a clock of a process that starts at 0.
func NewClock(pid int) *Clock {
	c := &Clock{pid: pid, at: time.Now()}
	c.threads, _ = threads(pid)
	return c
}

// Elapsed returns the time since the clock was made.
func (c *Clock) Elapsed() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	passed := now.Sub(c.at)
	if passed < sampleEvery {
		return c.elapsed + passed/MostWaiting // the next sample counts at least that much
	}
	c.at = now
	all, known := threads(c.pid)
	for _, pid := range c.awaited {
		if other, ok := threads(pid); ok && known && all != nil {
			maps.Copy(all, other)
		}
	}
	var used usage
	for id, u := range all {
		before := c.threads[id] // zero for a new one
		used.running += u.running - before.running
		used.waiting += u.waiting - before.waiting
	}
	c.threads = all
	c.elapsed += share(passed, used, known)
	return c.elapsed
}

// Await adds a process for which the process of the clock waits, until the result is called. Time in which it waits for
// processors does not count, as if its threads were of the process of the clock.
func (c *Clock) Await(pid int) (end func()) {
	c.Elapsed()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.awaited = append(c.awaited, pid)
	return func() {
		c.Elapsed()
		c.mu.Lock()
		defer c.mu.Unlock()
		c.awaited = slices.DeleteFunc(c.awaited, func(p int) bool { return p == pid })
	}
}

// share returns the part of the passed time that counts: for a process with several runnable threads, their average. If
// the waiting time is unknown, a process that is not fully busy is assumed to have waited.
func share(passed time.Duration, used usage, known bool) time.Duration {
	lost := used.waiting
	if runnable := used.running + used.waiting; runnable > passed {
		lost = time.Duration(float64(passed) * float64(used.waiting) / float64(runnable))
	}
	if !known {
		lost = passed - used.running
	}
	return min(passed, max(passed-lost, passed/MostWaiting))
}

// own returns the clock of this process.
var own = sync.OnceValue(func() *Clock { return NewClock(0) })

// Now returns the time on the clock of this process. Its zero is arbitrary.
func Now() time.Duration { return own().Elapsed() }

// Await is [Clock.Await] for the clock of this process.
func Await(pid int) (end func()) { return own().Await(pid) }

// WithDeadline returns a context that is done with [context.DeadlineExceeded] when the clock of this process reaches a
// time.
func WithDeadline(parent context.Context, at time.Duration) (context.Context, context.CancelFunc) {
	parent, cancel := context.WithCancel(parent)
	if outer, ok := Deadline(parent); ok {
		at = min(at, outer)
	}
	d := &deadline{Context: parent, at: at, clock: Now, own: true, done: make(chan struct{})}
	go d.watch()
	return d, cancel
}

// WithTimeout is like WithDeadline with a duration from now.
func WithTimeout(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return WithDeadline(parent, Now()+d)
}

// WithProcessorTime returns a context that is done with [context.DeadlineExceeded] when this process has used that much
// processor time from now on. It is WithTimeout where the processor time is unknown.
func WithProcessorTime(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if ProcessTime() == 0 {
		return WithTimeout(parent, d)
	}
	parent, cancel := context.WithCancel(parent)
	at := ProcessTime() + d
	if outer, ok := parent.Value(processorKey{}).(time.Duration); ok {
		at = min(at, outer)
	}
	limited := &deadline{Context: parent, at: at, clock: ProcessTime, done: make(chan struct{})}
	go limited.watch()
	return limited, cancel
}

// Deadline returns the time on the clock of this process at which a context of [WithDeadline] ends.
func Deadline(ctx context.Context) (at time.Duration, ok bool) {
	at, ok = ctx.Value(deadlineKey{}).(time.Duration)
	return at, ok
}

// Left returns the time until a context ends on the clock of this process, and the processor time. A missing limit is [math.MaxInt64].
func Left(ctx context.Context) (clock, processor time.Duration) {
	clock, processor = math.MaxInt64, math.MaxInt64
	if at, ok := Deadline(ctx); ok {
		clock = max(0, at-Now())
	}
	if at, ok := ctx.Value(processorKey{}).(time.Duration); ok {
		processor = max(0, at-ProcessTime())
	}
	return clock, processor
}

type (
	deadlineKey  struct{}
	processorKey struct{}
)

type deadline struct {
	context.Context
	at     time.Duration
	clock  func() time.Duration
	own    bool          // at is a time on the clock of [Now]
	done   chan struct{} // its own, because contexts derived from this one would otherwise have the error of the inner one
	passed atomic.Bool
}

func (d *deadline) watch() {
	defer close(d.done)
	ticker := time.NewTicker(sampleEvery)
	defer ticker.Stop()
	for d.clock() < d.at {
		select {
		case <-d.Context.Done():
			return
		case <-ticker.C:
		}
	}
	d.passed.Store(d.Context.Err() == nil)
}

func (d *deadline) Done() <-chan struct{} { return d.done }

func (d *deadline) Err() error {
	if d.passed.Load() {
		return context.DeadlineExceeded
	}
	return d.Context.Err()
}

func (d *deadline) Value(key any) any {
	if d.own && key == (deadlineKey{}) || !d.own && key == (processorKey{}) {
		return d.at
	}
	return d.Context.Value(key)
}
