package runloop

import (
	"cmp"
	"fmt"
	"sync"
	"time"

	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/internal/stacks"
)

// Tick is the interval at which running code is checked.
const Tick = contain.WatchInterval

// Ticks returns the number of ticks within a time limit for handlers.
func Ticks(limit time.Duration) int { return int(limit/Tick) + 2 }

// DidNotReturn says that checked code exceeded its time limit.
func DidNotReturn(limit time.Duration) string {
	return fmt.Sprintf("did not return within %v", limit.Round(time.Millisecond))
}

// Several watchdogs detect checked code that does not return. Each of them watches another kind of execution:
//
//	workers of a search            search/round.go (findOverdue), by [Watch]
//	loops outside of searches      internal/search/runloop/watchdog.go, by [Watch]
//	explorations of states         [OverdueAfter], by kernel.Options.Overdue
//	single calls of checked code   internal/kernel/contain: Watch; for properties Heartbeat
//	the process of a search        internal/check/isolate/overrun.go
//	the fresh process of one run   internal/check/isolate/examine.go (await), internal/check/isolate/stuck.go
//	handlers on real networks      realnet/watchdog.go
//
// The first three use the rule of [Watch.Late], in units of ticks. A watchdog only finds such code. search/merge.go
// (suspectOverdue) and search/hang.go (confirmHang) make it a suspect. internal/check/confirm.go (confirmDivergence)
// decides, by the fresh process.

// Watch monitors whether a worker responds. It counts in ticks, which stop when the whole process is suspended. On a
// busy machine that does not suffice: a worker without a processor is not stuck.
type Watch struct {
	Waiting int           // ticks since the last probe of the worker
	Limit   int           // ticks until it is suspected
	cpu     time.Duration // of the process at the probe
}

// Probed begins to wait for the answer to a probe.
func (w *Watch) Probed() { w.Waiting, w.cpu = 0, budget.ProcessTime() }

// Late counts a tick without an answer. It reports whether the limit is exceeded, while so many workers are busy.
func (w *Watch) Late(busy int) bool {
	w.Waiting++
	late := w.Waiting > w.Limit && !w.starved(busy)
	if late {
		simext.Suspected.Add(1)
	}
	return late
}

// starvedFactor times the limit applies for a worker that seems to have had no processor, since its handler may
// be blocked.
const starvedFactor = 10

// starved reports whether the process used so little processor time since the probe that the worker may have had none.
func (w *Watch) starved(busy int) bool {
	return w.Waiting <= starvedFactor*w.Limit && budget.ProcessTime()-w.cpu < time.Duration(w.Limit*busy)*Tick && !blocked(w.Waiting)
}

// OverdueAfter abandons checked code of an exploration, by the rule for an unresponsive worker of a round.
func OverdueAfter(limit int) func(ticks int) bool {
	w := Watch{Limit: limit}
	var mu sync.Mutex // several may wait, but not at the same time
	return func(ticks int) bool {
		mu.Lock()
		defer mu.Unlock()
		if ticks == 1 {
			w.Probed()
		}
		w.Waiting = ticks - 1
		return w.Late(1)
	}
}

// Overdue is for [kernel.Options] of explorations outside of searches. It abandons checked code that does not return
// within limit; 0 means the default of searches.
func Overdue(limit time.Duration) func(ticks int) bool {
	return OverdueAfter(Ticks(cmp.Or(limit, budget.DefaultHandlerLimit)))
}

// blocked reports whether the handler of some worker waits for another goroutine, or all goroutines of a hosted program
// that keep a step from ending wait for something outside of it, such as a pipe. The check stops all goroutines, so it is
// not made at each tick.
func blocked(ticks int) bool {
	const each = 8
	if ticks%each != 0 {
		return false
	}
	await, host := stacks.Name(simext.AwaitProgram), stacks.Name(simext.HostProgram)
	active, outside := 0, 0
	for _, g := range stacks.Running() {
		switch {
		case g.Waits() && g.Calls(kernel.HandlerCaller) && !g.Calls(await):
			return true
		case g.Bubble == 0 || g.Durable || g.Calls(host):
		case g.Waits() || g.Status == "IO wait":
			outside++
		default:
			active++
		}
	}
	return outside > 0 && active == 0
}
