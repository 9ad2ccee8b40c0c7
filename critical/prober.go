package critical

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/search/schedules"
)

// prober makes walks in parallel.
type prober struct {
	workers   []*walkWorker
	seed      uint64
	scale     schedules.Scale
	leaveLive bool // walks must leave the live states before a live state ends them
}

type walkWorker struct {
	loop        *runloop.Loop
	walker      *runs.Walker
	nearestLive nearestLive // of the current probe
}

func newProber(cfg *Config) (*prober, error) {
	if err := cfg.Weights.Validate(); err != nil {
		return nil, fmt.Errorf("critical: %w", err)
	}
	p := &prober{seed: cfg.Seed, scale: cfg.Weights.Scale()}
	for i := range cfg.Workers {
		loop, err := runloop.NewByEngine(&cfg.System, cfg.Engine, kernel.Options{})
		if err != nil {
			return nil, err
		}
		if cfg.HandlerLimit > 0 {
			loop.Watch(cfg.HandlerLimit)
		}
		worker := &walkWorker{loop: loop, walker: runs.NewWalker(p.scale, cfg.WalkSteps)}
		if cfg.PathBuffers != nil {
			worker.loop.Replay().Path = cfg.PathBuffers[i]
		}
		p.workers = append(p.workers, worker)
	}
	return p, nil
}

// engine returns the engine statistics of all walks.
func (p *prober) engine() (all runloop.Counts) {
	for _, w := range p.workers {
		all.Add(w.loop.Counts())
	}
	return all
}

// walk makes walk number k from the end of prefix, which may be inside a step. An error makes the outcome invalid:
// prefix does not fit, or ctx is done.
func (p *prober) walk(ctx context.Context, w *walkWorker, prefix choose.Path, k, limit int) (runloop.Outcome, error) {
	w.walker.SetLimit(limit)
	w.walker.SetLeaveLive(p.leaveLive)
	w.walker.Seed(p.seed, choose.Derive(choose.Derive(p.seed, prefix), choose.Path{int32(k)}))
	if err := ctx.Err(); err != nil {
		return runloop.Outcome{}, err
	}
	o := w.loop.Run(&runloop.Stoppable{Strategy: w.walker, Ctx: ctx}, runloop.Task{Path: prefix})
	switch o.End {
	case runloop.Mismatch:
		return o, &MismatchError{fmt.Errorf("critical: %w", o.Err)}
	case runloop.Stopped:
		return o, ctx.Err()
	}
	if o.Stuck != nil {
		return o, stuckIn(&o)
	}
	return o, nil
}

// unbinding is a strategy that removes the bound of delays where its part of the run begins.
type unbinding struct {
	*runs.Walker
	unbound bool
}

// Select implements [runloop.Strategy].
func (u *unbinding) Select(at *runloop.Node) runloop.Selection {
	if !u.unbound {
		u.unbound = true
		kernel.Unbind(at.Run.World)
		at.Enabled = at.Run.World.Enabled()
	}
	return u.Walker.Select(at)
}

// withoutBound makes a few walks from the end of prefix, of a run with bounded delays, in which delays are not bounded
// any more.
func (p *prober) withoutBound(ctx context.Context, f *finder, prefix choose.Path, step int) (probe Probe, err error) {
	w := p.workers[0]
	for probe = (Probe{Step: step, Limit: f.limit}); probe.Walks < minWalks; probe.Walks++ {
		w.walker.SetLimit(f.limit)
		w.walker.Seed(p.seed, choose.Derive(choose.Derive(p.seed, prefix), choose.Path{int32(probe.Walks)}))
		o := w.loop.Run(&runloop.Stoppable{Strategy: &unbinding{Walker: w.walker}, Ctx: ctx}, runloop.Task{Path: prefix})
		switch {
		case o.Stuck != nil:
			return probe, stuckIn(&o)
		case o.End == runloop.Stopped:
			return probe, ctx.Err()
		case f.isLive(w.loop, &o):
			probe.Recovered++
		}
	}
	return probe, nil
}

// probe makes walks from the end of prefix until one is live, or all. The result does not depend on the number of
// workers: walks with lower numbers than the first live one are finished. With an error the result counts the
// finished walks.
func (p *prober) probe(ctx context.Context, f *finder, prefix choose.Path, step int, all bool) (finishedProbe, error) {
	var (
		wait      sync.WaitGroup
		next      atomic.Int64
		first     atomic.Int64 // lowest number of a live walk
		recovered atomic.Int64
		made      atomic.Int64
		open      atomic.Bool // some walk could have continued, or ended with a finding
		failed    atomic.Pointer[error]
	)
	first.Store(int64(f.walks))
	work := func(w *walkWorker) {
		for failed.Load() == nil {
			k := next.Add(1) - 1
			if k >= int64(f.walks) || !all && k > first.Load() {
				return
			}
			o, err := p.walk(ctx, w, prefix, int(k), f.limit)
			if err != nil {
				failed.Store(&err)
				return
			}
			n := int(made.Add(1))
			live := f.isLive(w.loop, &o)
			if !live && o.End != runloop.OutOfEvents {
				open.Store(true)
			}
			if !live && recovered.Load() == 0 && step > f.lastRecovering && f.suffice(n, f.cfg.WalkSteps) {
				f.enoughFailed.Store(true)
			}
			f.notify(Progress{step, f.dead.steps(), n, f.walks})
			if live {
				recovered.Add(1)
				if all {
					w.nearestLive.offer(f, w.loop, int(k), o.End == runloop.Found)
				} else if lower(&first, k) {
					w.nearestLive = nearestLive{}
					w.nearestLive.offer(f, w.loop, int(k), o.End == runloop.Found)
				}
			}
		}
	}
	for _, w := range p.workers[:min(len(p.workers), f.walks)] {
		w.nearestLive = nearestLive{}
		w.loop.Keep(f.dead.prefix(step))
		wait.Go(func() {
			w.loop.Measure(func() { work(w) })
		})
	}
	wait.Wait()
	if err := failed.Load(); err != nil {
		return finishedProbe{Probe: Probe{Step: step, Walks: int(made.Load()), Recovered: int(recovered.Load()), Limit: f.limit}}, *err
	}
	out := finishedProbe{Probe: Probe{Step: step, Walks: f.walks, Recovered: int(recovered.Load()), Limit: f.limit}, all: all}
	out.allOutOfEvents = out.Recovered == 0 && !open.Load()
	if k := int(first.Load()); !all && k < f.walks {
		out.Walks, out.Recovered = k+1, 1
	}
	var best nearestLive
	for _, w := range p.workers {
		if n := &w.nearestLive; n.path != nil && (all || n.walk == int(first.Load())) {
			best.replaceIfCloser(n)
		}
		w.nearestLive = nearestLive{}
	}
	f.keepLive(&best)
	return out, nil
}

// notify calls Progress, unless a call is in progress.
func (f *finder) notify(p Progress) {
	if f.cfg.Progress != nil && f.notifying.TryLock() {
		defer f.notifying.Unlock()
		f.cfg.Progress(p)
	}
}

// isLive reports whether a walk reached a live state. A state that violates an Always property may be live, too,
// since recovery only requires that a live state can be reached.
func (f *finder) isLive(loop *runloop.Loop, o *runloop.Outcome) (live bool) {
	if o.End != runloop.Found || !f.cfg.hasAlways(o.Finding) {
		return o.Live
	}
	defer func() {
		if recover() != nil {
			live = false // unknown
		}
	}()
	return loop.Replay().World.Live()
}

// lower sets v to x if x is less, and reports whether it was.
func lower(v *atomic.Int64, x int64) bool {
	for old := v.Load(); x < old; old = v.Load() {
		if v.CompareAndSwap(old, x) {
			return true
		}
	}
	return false
}

// nearestLive is the live run closest to the dead one.
type nearestLive struct {
	path     choose.Path // nil for none
	choices  int         // length of the common prefix, in choices
	common   int         // length of the common prefix, in steps
	walk     int         // number of the walk
	violates bool        // its last state violates an Always property
}

// offer replaces n by the last run of l if that is closer.
func (n *nearestLive) offer(f *finder, l *runloop.Loop, walk int, violates bool) {
	run := l.Replay()
	m := nearestLive{path: run.Path, walk: walk, violates: violates}
	for m.choices < len(run.Path) && m.choices < len(f.dead.path) && run.Path[m.choices] == f.dead.path[m.choices] {
		m.choices++
	}
	for m.common < min(len(run.Bounds), len(f.dead.bounds)) {
		end := f.dead.end(m.common + 1)
		if end > m.choices || end != endOf(run.Bounds, run.Path, m.common+1) {
			break
		}
		m.common++
	}
	if n.better(&m) {
		m.path = m.path.Clone()
		*n = m
	}
}

// better reports whether m is closer. A run without a violation is better, then a longer common prefix, a shorter
// run, a lower number.
func (n *nearestLive) better(m *nearestLive) bool {
	switch {
	case n.path == nil:
		return true
	case m.violates != n.violates:
		return n.violates
	case m.choices != n.choices:
		return m.choices > n.choices
	case len(m.path) != len(n.path):
		return len(m.path) < len(n.path)
	}
	return m.walk < n.walk
}

// keepLive stores a run that recovers.
func (f *finder) keepLive(n *nearestLive) {
	if n.path != nil {
		f.equals.runs = append(f.equals.runs, n.path)
	}
	f.nearestLive.replaceIfCloser(n)
}

func (n *nearestLive) replaceIfCloser(m *nearestLive) {
	if m.path != nil && n.better(m) {
		*n = *m
	}
}
