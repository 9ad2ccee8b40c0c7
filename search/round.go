package search

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/replay"
)

// tick is the interval at which a round checks its workers.
const tick = contain.WatchInterval

// round is a set of units executed in parallel.
type round struct {
	s        *searcher
	units    []*unit
	next     atomic.Int32
	last     atomic.Int32   // no units beyond this one are started
	doing    []atomic.Int32 // unit by worker, plus one
	finished chan int
	ended    []bool
	first    int // unit that has not ended
	watch    []watch
}

// watch monitors whether a worker responds. It counts in ticks, which stop when the whole process is suspended. On a
// busy machine that does not suffice: a worker without a processor is not stuck.
type watch struct {
	waiting  int           // ticks since the last probe of the worker
	patience int           // ticks until it is suspected
	cpu      time.Duration // of the process at the probe
}

// starvedFactor times the patience is the limit for a worker that seems to have had no processor, since its handler may
// be blocked.
const starvedFactor = 10

// starved reports whether the process used so little processor time since the probe that the worker may have had none.
func (w *watch) starved(busy int) bool {
	return w.waiting <= starvedFactor*w.patience && budget.ProcessTime()-w.cpu < time.Duration(w.patience*busy)*tick && !blocked(w.waiting)
}

// overdue is an unresponsive worker.
type overdue struct {
	worker int
	path   choose.Path
	steps  int
	again  bool // it was excused before
}

func (s *searcher) begin(units []*unit) *round {
	r := &round{
		s: s, units: units, finished: make(chan int, len(units)), ended: make([]bool, len(units)),
		doing: make([]atomic.Int32, len(s.workers)), watch: make([]watch, len(s.workers)),
	}
	r.last.Store(int32(len(units)))
	for i := range r.watch {
		r.watch[i].patience = s.cfg.patience()
	}
	for i := range min(len(s.workers), len(units)) {
		go r.work(i)
	}
	return r
}

// patience returns the number of ticks within HandlerLimit.
func (c *Config) patience() int { return int(c.HandlerLimit/tick) + 2 }

func (r *round) work(i int) {
	w := r.s.workers[i]
	for {
		k := r.next.Add(1) - 1
		if k >= int32(len(r.units)) {
			return
		}
		if k <= r.last.Load() {
			r.doing[i].Store(k + 1)
			w.do(r.units[k])
			r.doing[i].Store(0)
			if sus := r.units[k].suspect; sus != nil && sus.certain() && r.s.cfg.Found == nil {
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

// wait waits until all units have ended. If the worker of a unit does not respond, wait returns it once all earlier
// units have ended.
func (r *round) wait(ctx context.Context) *overdue {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	interrupt, limit := ctx.Done(), r.s.limit
	for r.first < len(r.units) {
		select {
		case k := <-r.finished:
			r.ended[k] = true
			for r.first < len(r.units) && r.ended[r.first] {
				r.first++
			}
		case <-interrupt:
			interrupt = nil
			r.s.stop(StoppedInterrupted)
		case <-limit:
			limit = nil
			r.s.stop(StoppedTime)
		case <-ticker.C:
			r.s.progress(r.units[0].phase)
			if o := r.look(); o != nil {
				return o
			}
		}
	}
	return nil
}

// look probes all workers.
func (r *round) look() *overdue {
	busy := 0
	for i := range r.doing {
		if r.doing[i].Load() > 0 {
			busy++
		}
	}
	busy = min(busy, runtime.GOMAXPROCS(0))
	for i := range r.watch {
		worker, w := r.s.workers[i], &r.watch[i]
		k := int(r.doing[i].Load()) - 1
		if k < 0 || worker.signal.Load()&askSignal == 0 {
			w.waiting, w.patience, w.cpu = 0, r.s.cfg.patience(), budget.ProcessTime()
			worker.signal.Or(askSignal)
			continue
		}
		if w.waiting++; w.waiting <= w.patience || w.starved(busy) {
			continue
		}
		if k != r.first {
			continue // earlier units decide first
		}
		o := &overdue{worker: i, again: w.patience > r.s.cfg.patience()}
		o.path, o.steps = stuckPath(worker)
		if worker.signal.Load()&askSignal != 0 {
			return o
		}
	}
	return nil
}

// excuse gives an overdue worker ten times as much time.
func (r *round) excuse(o *overdue) {
	w := &r.watch[o.worker]
	w.waiting, w.patience = 0, 10*w.patience
}

// stuckPath copies the path of the run that a worker executes. The worker does not touch it while it
// is inside a handler, but nothing orders its last change before this: the caller must find out
// afterwards that the worker has not moved.
//
//go:norace
func stuckPath(w *worker) (path choose.Path, steps int) {
	return pathInto(w.active.Load())
}

// pathInto is stuckPath for a run.
//
//go:norace
func pathInto(run *replay.Run) (path choose.Path, steps int) {
	path = make(choose.Path, len(run.Path))
	for i := range path {
		path[i] = run.Path[i]
	}
	return path, len(run.Bounds)
}
