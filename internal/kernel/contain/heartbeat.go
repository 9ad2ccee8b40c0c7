package contain

import (
	"sync/atomic"
	"time"
)

// Heartbeat shows another goroutine whether functions of properties return, which are called so often that none can have a
// goroutine of its own. See [kernel.Options].
type Heartbeat struct{ calls atomic.Uint64 } // odd: one is under way

func (p *Heartbeat) Begin() { p.calls.Store(p.calls.Load() + 1) }

func (p *Heartbeat) End() { p.calls.Store(p.calls.Load() + 1) }

// Returned waits until done is closed. It is false when a call was given up before: overdue is asked as [kernel.Options].Overdue is.
func (p *Heartbeat) Returned(done <-chan struct{}, overdue func(ticks int) bool) bool {
	ticker := time.NewTicker(WatchInterval)
	defer ticker.Stop()
	last, ticks := uint64(0), 0
	for {
		select {
		case <-done:
			return true
		case <-ticker.C:
		}
		now := p.calls.Load()
		if now != last || now%2 == 0 {
			last, ticks = now, 0
			continue
		}
		if ticks++; overdue(ticks) {
			return false
		}
	}
}
