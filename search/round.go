package search

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/stats"
)

// round is a set of units executed in parallel. A unit is a number of runs that one worker makes, see unit.go. Units are
// merged in their order, so the first unit that has not ended decides first whether the search ends.
type round struct {
	s        *searcher
	units    []*unit
	next     atomic.Int32   // index of the next unit to start
	last     atomic.Int32   // no units beyond this one are started
	current  []atomic.Int32 // by worker: index of its unit, plus one; 0 means none
	finished chan int
	ended    []bool
	first    int  // index of the first unit that has not ended; len(units) if all have
	timeUp   bool // the time limit was reached
	watch    []runloop.Watch
}

// overdue is an unresponsive worker.
type overdue struct {
	worker int
	path   choose.Path
	steps  int
	final  bool // its limit was extended before, or no time is left to extend it
}

func (s *searcher) begin(units []*unit) *round {
	r := &round{
		s: s, units: units, finished: make(chan int, len(units)), ended: make([]bool, len(units)),
		current: make([]atomic.Int32, len(s.workers)), watch: make([]runloop.Watch, len(s.workers)),
	}
	r.last.Store(int32(len(units)))
	for i := range r.watch {
		r.watch[i].Limit = s.cfg.handlerTicks()
	}
	for i := range min(len(s.workers), len(units)) {
		go r.work(i)
	}
	return r
}

// handlerTicks returns the number of ticks within HandlerLimit.
func (c *Config) handlerTicks() int { return runloop.Ticks(c.HandlerLimit) }

func (r *round) work(i int) {
	w := r.s.workers[i]
	for {
		k := r.next.Add(1) - 1
		if k >= int32(len(r.units)) {
			return
		}
		if k <= r.last.Load() {
			r.current[i].Store(k + 1)
			w.do(r.units[k])
			r.current[i].Store(0)
			if sus := r.units[k].suspect; sus != nil && sus.needsNoConfirmation() && r.s.cfg.Found == nil {
				r.end(k)
			}
		}
		r.finished <- int(k)
	}
}

// end marks the units after k as irrelevant.
func (r *round) end(k int32) {
	for old := r.last.Load(); k < old && !r.last.CompareAndSwap(old, k); old = r.last.Load() {
	}
}

// mark records that a unit has ended.
func (r *round) mark(k int) {
	r.ended[k] = true
	for r.first < len(r.units) && r.ended[r.first] {
		r.first++
	}
}

// wait waits until all units have ended. If the worker of a unit does not respond, wait returns it once all earlier
// units have ended.
func (r *round) wait(ctx context.Context) *overdue {
	ticker := time.NewTicker(runloop.Tick)
	defer ticker.Stop()
	interrupt, limit := ctx.Done(), r.s.limit
	for r.first < len(r.units) {
		select {
		case k := <-r.finished:
			r.mark(k)
		case <-interrupt:
			interrupt = nil
			r.s.stop(stats.StoppedInterrupted)
		case <-limit:
			limit = nil
			r.s.stop(stats.StoppedTime)
			r.timeUp = true
			for i := range r.watch { // an extended limit does not last longer
				r.watch[i].Limit = min(r.watch[i].Limit, r.s.cfg.handlerTicks())
			}
		case <-ticker.C:
			r.s.progress(r.units[0].phase)
			if o := r.findOverdue(); o != nil {
				return o
			}
		}
	}
	return nil
}

// findOverdue probes all workers and returns one that has not answered a probe within its limit, or nil. It only finds
// it: suspectOverdue of the searcher makes it a suspect, and [Config.Confirm] decides. Only the worker of the first unit
// is returned, since earlier units decide first. A worker clears ProbeSignal to answer.
func (r *round) findOverdue() *overdue {
	busy := 0
	for i := range r.current {
		if r.current[i].Load() > 0 {
			busy++
		}
	}
	busy = min(busy, runtime.GOMAXPROCS(0))
	for i := range r.watch {
		worker, w := r.s.workers[i], &r.watch[i]
		k := int(r.current[i].Load()) - 1
		if k < 0 || worker.signal.Load()&runloop.ProbeSignal == 0 {
			w.Limit = r.s.cfg.handlerTicks()
			w.Probed()
			worker.signal.Or(runloop.ProbeSignal)
			continue
		}
		if !w.Late(busy) || k != r.first {
			continue
		}
		o := &overdue{worker: i, final: w.Limit > r.s.cfg.handlerTicks() || r.timeUp}
		o.path, o.steps = runloop.PathInto(worker.active.Load())
		if worker.signal.Load()&runloop.ProbeSignal != 0 { // it has not answered meanwhile
			return o
		}
	}
	return nil
}

// extendLimit gives an overdue worker ten times as much time, once, after its suspect was refuted.
func (r *round) extendLimit(o *overdue) {
	w := &r.watch[o.worker]
	w.Waiting, w.Limit = 0, 10*w.Limit
}
