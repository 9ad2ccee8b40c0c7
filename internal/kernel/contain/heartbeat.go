package contain

import (
	"sync/atomic"
	"time"
)

// Heartbeat shows another goroutine whether functions of properties return. They are called too often for a goroutine
// each. See [kernel.Options].
type Heartbeat struct{ calls atomic.Uint64 } // odd while a call is in progress

func (p *Heartbeat) Begin() { p.calls.Store(p.calls.Load() + 1) }

func (p *Heartbeat) End() { p.calls.Store(p.calls.Load() + 1) }

// Returned waits until done is closed. It returns false if a call was abandoned before. It calls overdue as for
// [kernel.Options].Overdue.
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
