package search

import (
	"context"
	"sync/atomic"
	"time"
)

const (
	// LeastConfirming is how long a suspect is examined at least, if that takes so long, be it beyond the time limit of the search.
	LeastConfirming = 5 * time.Second
	// leastWaiting is how long after the beginning of a search checked code that did not return is still waited for, at least.
	leastWaiting = time.Minute
)

// suspect tells the caller of a suspect.
func (c *Config) suspect(s *Suspect) {
	if c.Suspected != nil {
		c.Suspected(s)
	}
}

// confirming is the context of a confirmation that begins now. In a search with a time limit its deadline passes, which leaves the suspect
// undecided, when the confirmation has taken as long as the search until then, or LeastConfirming if that is more, and when the time of the
// search has been over for LeastConfirming. Checked code that does not return is waited for as long as its own limit says. A search that
// has a finding ends in time.
func (c *Config) confirming(ctx context.Context, began time.Time, sus *Suspect, found bool) (context.Context, context.CancelFunc) {
	if c.Time <= 0 {
		return ctx, func() {}
	}
	limited, cancel := context.WithDeadline(ctx, c.confirmUntil(began, sus, found))
	if sus.Overdue {
		return limited, cancel
	}
	a := &allowance{Context: limited, done: make(chan struct{})}
	go a.watch(max(time.Since(began), LeastConfirming))
	return a, cancel
}

// confirmUntil is when a confirmation ends whatever time it had.
func (c *Config) confirmUntil(began time.Time, sus *Suspect, found bool) time.Time {
	switch {
	case found:
		return began.Add(c.Time)
	case sus.Overdue:
		return began.Add(max(c.Time+c.Time/2, leastWaiting))
	}
	return began.Add(c.Time + LeastConfirming)
}

// allowance is a context whose deadline also passes when so much time was used. On a busy machine that takes longer.
type allowance struct {
	context.Context
	used atomic.Bool
	done chan struct{}
}

// watch ends the context when it was given that much time, and the process as much of a processor, or starvedFactor times as much time.
func (a *allowance) watch(much time.Duration) {
	defer close(a.done)
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	began, cpu := time.Now(), cpuTime()
	for {
		select {
		case <-a.Context.Done():
			return
		case <-ticker.C:
		}
		if spent(time.Since(began), cpuTime()-cpu, much) {
			a.used.Store(true)
			return
		}
	}
}

// spent reports whether an allowance is used up.
func spent(time, cpu, much time.Duration) bool {
	return time >= much && (cpu >= much || time >= starvedFactor*much)
}

func (a *allowance) Done() <-chan struct{} { return a.done }

func (a *allowance) Err() error {
	if a.used.Load() {
		return context.DeadlineExceeded
	}
	return a.Context.Err()
}
