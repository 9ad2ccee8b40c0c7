package runloop

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/sim"
)

// watchdog watches the runs of one loop, if no other goroutine does.
type watchdog struct {
	limit  time.Duration
	ticker *time.Ticker
}

// Watch makes the loop abandon each run in which checked code does not return within limit; see [Outcome].Stuck. It is
// for loops of [NewByEngine].
func (l *Loop) Watch(limit time.Duration) {
	l.watchdog, l.Signal = &watchdog{limit, time.NewTicker(Tick)}, new(atomic.Uint32)
}

// watched executes a prepared run. returned is false if the run was abandoned. The run then owns o, and may continue.
func (l *Loop) watched(o *Outcome) (found *sim.Finding, returned bool) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		found = contain.Guard(func() { l.make(o) })
	}()
	w := Watch{Limit: Ticks(l.watchdog.limit)}
	w.Probed()
	l.Signal.Or(ProbeSignal)
	for {
		select {
		case <-done:
			return found, true
		case <-l.watchdog.ticker.C:
		}
		if l.Signal.Load()&ProbeSignal == 0 {
			w.Probed()
			l.Signal.Or(ProbeSignal)
			continue
		}
		if w.Late(min(2, runtime.GOMAXPROCS(0))) {
			return nil, false
		}
	}
}

// abandon gives up a run that does not return. The loop must not be used again.
func (l *Loop) abandon(t Task) Outcome {
	path, steps := PathInto(l.run)
	l.Signal.Or(StopSignal) // in case it returns after all
	return Outcome{Task: t, End: Found, Steps: steps, Stuck: path, Finding: &sim.Finding{
		Kind: sim.Divergence, Node: -1, Message: "the handler " + DidNotReturn(l.watchdog.limit),
	}}
}

// PathInto copies the path of a run that another goroutine executes. That goroutine does not touch it while it is inside
// a handler, but nothing orders its last change before this: the caller must find out afterwards that it has not moved.
//
//go:norace
func PathInto(run *replay.Run) (path choose.Path, steps int) {
	path = make(choose.Path, len(run.Path))
	for i := range path {
		path[i] = run.Path[i]
	}
	return path, len(run.Bounds)
}
