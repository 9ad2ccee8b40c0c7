package search

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/sim"
)

// patrol watches the runs of one loop, if no other goroutine does.
type patrol struct {
	limit  time.Duration
	ticker *time.Ticker
}

// Watch makes the loop abandon each run in which checked code does not return within limit; see [Outcome].Stuck. It is
// for loops of [NewEngineLoop].
func (l *Loop) Watch(limit time.Duration) {
	l.patrol, l.signal = &patrol{limit, time.NewTicker(tick)}, new(atomic.Uint32)
}

// watched executes a prepared run. returned is false if the run was abandoned. The run then owns o, and may continue.
func (l *Loop) watched(o *Outcome) (found *sim.Finding, returned bool) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		found = contain.Guard(func() { l.New(o) })
	}()
	cfg := Config{HandlerLimit: l.patrol.limit}
	w := watch{patience: cfg.patience(), cpu: budget.ProcessTime()}
	l.signal.Or(askSignal)
	for {
		select {
		case <-done:
			return found, true
		case <-l.patrol.ticker.C:
		}
		if l.signal.Load()&askSignal == 0 {
			w.waiting, w.cpu = 0, budget.ProcessTime()
			l.signal.Or(askSignal)
			continue
		}
		if w.waiting++; w.waiting > w.patience && !w.starved(min(2, runtime.GOMAXPROCS(0))) {
			return nil, false
		}
	}
}

// giveUp abandons a run that does not return. The loop must not be used again.
func (l *Loop) giveUp(t Task) Outcome {
	path, steps := pathInto(l.run)
	l.signal.Or(stopSignal) // in case it returns after all
	return Outcome{Task: t, End: Found, Steps: steps, Stuck: path, Finding: &sim.Finding{
		Kind: sim.Divergence, Node: -1, Message: fmt.Sprintf("the handler did not return within %v", l.patrol.limit.Round(time.Millisecond)),
	}}
}
