package stats

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Config says what to measure. The zero value of each field but System is a default.
type Config struct {
	System    sim.System
	Bugs      []string       // those that are put back, for the result
	Walks     int            // of each distribution; 0: 1,000
	WalkSteps int            // length of a walk; 0: 20,000
	Weights   search.Weights // of biased walks; zero: [search.DefaultWeights]
	Seed      uint64         // 0: 1
	Workers   int            // 0: GOMAXPROCS
	// Progress is called now and then with how many of the walks of each distribution are made. May be
	// nil.
	Progress func(done, all int)
	// HandlerLimit is how long one handler may run before Measure gives up; 0: 10 s.
	HandlerLimit time.Duration
}

// Result is what was measured.
type Result struct {
	System        string         `json:"system"`
	Bugs          []string       `json:"bugs"`
	Nodes         int            `json:"nodes"`
	Limits        sim.Limits     `json:"limits"`
	Timing        string         `json:"timing"`
	WalkSteps     int            `json:"walk_steps"`
	Seed          uint64         `json:"seed"`
	Distributions []Distribution `json:"distributions"`
	// FaultsStruck is how many faults struck before a walk that begins after faults, on average; 0
	// without such walks.
	FaultsStruck float64 `json:"faults_struck"`
	Interrupted  bool    `json:"interrupted"` // ctx was done before all walks were made
}

// unbiased are equal weights.
var unbiased = search.Weights{Action: 1, Message: 1, Timer: 1, Consequence: 1, Fault: 1}

// Measure makes random walks without faults to their first live state, biased and unbiased: from the
// first state and, if the system has faults, from states after faults, which are the same for both.
// When the first state is live, a walk from it ends in the first live one after one that is not.
// The system must have an Eventually property. The result does not depend on the number of workers.
// When ctx is done it is about the walks that were made until then.
func Measure(ctx context.Context, cfg Config) (*Result, error) {
	if err := cfg.complete(); err != nil {
		return nil, err
	}
	m := &measurement{cfg: &cfg, faults: cfg.System.Limits() != sim.Limits{}}
	r := &Result{
		System: cfg.System.Name, Bugs: append([]string{}, cfg.Bugs...), Nodes: cfg.System.Nodes, Limits: cfg.System.Limits(), Timing: cfg.System.Timing.String(),
		WalkSteps: cfg.WalkSteps, Seed: cfg.Seed,
	}
	for _, faults := range []bool{false, true} {
		if !faults || m.faults {
			r.Distributions = append(r.Distributions,
				Distribution{Name: "biased", Faults: faults, Weights: cfg.Weights},
				Distribution{Name: "unbiased", Faults: faults, Weights: unbiased})
		}
	}
	m.walks = make([]walk, cfg.Walks)
	if err := m.run(ctx); err != nil {
		return nil, err
	}
	m.summarise(r)
	return r, nil
}

func (c *Config) complete() error {
	if err := c.System.Validate(); err != nil {
		return err
	}
	if !slices.ContainsFunc(c.System.Properties, func(p sim.Property) bool { return p.Eventually != nil }) {
		return fmt.Errorf("system %q has no liveness property, so that no walk can become live", c.System.Name)
	}
	for _, f := range []struct {
		name  string
		value int
		most  int
	}{{"Walks", c.Walks, 1 << 24}, {"WalkSteps", c.WalkSteps, 1 << 30}, {"Workers", c.Workers, 1 << 12}} {
		if f.value < 0 || f.value > f.most {
			return fmt.Errorf("%s is %d, must be 0 to %d", f.name, f.value, f.most)
		}
	}
	if c.Weights == (search.Weights{}) {
		c.Weights = search.DefaultWeights()
	}
	if err := c.Weights.Validate(); err != nil {
		return err
	}
	c.Walks = cmp.Or(c.Walks, 1000)
	c.WalkSteps = cmp.Or(c.WalkSteps, 20_000)
	c.Seed = cmp.Or(c.Seed, 1)
	c.Workers = min(c.Walks, cmp.Or(c.Workers, runtime.GOMAXPROCS(0)))
	c.HandlerLimit = cmp.Or(c.HandlerLimit, 10*time.Second)
	return nil
}

// kinds is the most kinds of walks that there are, in the order of [Result.Distributions].
const kinds = 4

// walk is the walks of one number, one of each kind.
type walk struct {
	made   bool
	struck int // faults
	steps  [kinds]int
}

// What walk.steps says of walks that did not become live.
const (
	notLive = -1
	found   = -2
)

// measurement is walks being made.
type measurement struct {
	cfg    *Config
	faults bool
	walks  []walk
	next   atomic.Int64
}

func (m *measurement) run(ctx context.Context) error {
	workers := make([]*worker, m.cfg.Workers)
	finished := make(chan struct{}, len(workers))
	for i := range workers {
		w, err := newWorker(m)
		if err != nil {
			return err
		}
		workers[i] = w
	}
	for _, w := range workers {
		go func() {
			defer func() { finished <- struct{}{} }()
			for ctx.Err() == nil {
				k := int(m.next.Add(1)) - 1
				if k >= len(m.walks) {
					break
				}
				m.walks[k] = w.walk(k)
			}
			w.steps.Store(idle)
		}()
	}
	ticker := time.NewTicker(min(m.cfg.HandlerLimit, 200*time.Millisecond))
	defer ticker.Stop()
	for n := 0; n < len(workers); {
		select {
		case <-finished:
			n++
		case <-ticker.C:
			for _, w := range workers {
				if w.stuck(m.cfg.HandlerLimit) {
					return fmt.Errorf("a handler has not returned for %v; a search tells which (divergence)", m.cfg.HandlerLimit)
				}
			}
			if m.cfg.Progress != nil {
				m.cfg.Progress(min(int(m.next.Load()), len(m.walks)), len(m.walks))
			}
		}
	}
	for _, w := range workers {
		if w.err != nil {
			return w.err
		}
	}
	return nil
}

func (m *measurement) summarise(r *Result) {
	steps := make([]int, 0, len(m.walks))
	for kind := range r.Distributions {
		d := &r.Distributions[kind]
		steps = steps[:0]
		for _, w := range m.walks {
			if !w.made {
				continue
			}
			d.Walks++
			switch n := w.steps[kind]; n {
			case found:
				d.Found++
			case notLive:
			default:
				steps = append(steps, n)
			}
		}
		d.count(steps)
	}
	struck, made := 0, 0
	for _, w := range m.walks {
		if w.made {
			struck += w.struck
			made++
		}
	}
	if made > 0 {
		r.FaultsStruck = float64(struck) / float64(made)
	}
	r.Interrupted = made < len(m.walks)
}

// worker makes walks, one after the other.
type worker struct {
	cfg       *Config
	loop      *search.Loop
	walkers   [2]*search.Walker // biased and unbiased
	disturber *search.Disturber // nil without faults
	err       error             // the first one

	steps atomic.Int64 // made by the walk in progress and those before it
	seen  int64        // steps when it was looked at
	since time.Time    // since when they are the same
}

// idle is the number of steps of a worker that has ended.
const idle = -1

func newWorker(m *measurement) (*worker, error) {
	world, err := kernel.NewWorld(&m.cfg.System, kernel.Options{})
	if err != nil {
		return nil, err
	}
	w := &worker{cfg: m.cfg, loop: search.NewLoop(world), since: time.Now()}
	w.loop.Observe(w)
	for i, weights := range []search.Weights{m.cfg.Weights, unbiased} {
		w.walkers[i] = search.NewWalker(weights, m.cfg.WalkSteps)
	}
	if m.faults {
		w.disturber = search.NewDisturber(m.cfg.Weights, m.cfg.System.Limits())
	}
	return w, nil
}

// OnStep implements [search.Observer].
func (w *worker) OnStep(*search.Node, *kernel.Step) { w.steps.Add(1) }

// stuck reports whether the worker has not made a step for that long. It is called on one goroutine.
func (w *worker) stuck(limit time.Duration) bool {
	n := w.steps.Load()
	if n != w.seen || n == idle {
		w.seen, w.since = n, time.Now()
	}
	return time.Since(w.since) > limit
}

// Tags of random streams.
const (
	walkTag int32 = -1 - iota
	faultTag
)

// walk makes the walks of number k.
func (w *worker) walk(k int) walk {
	out := walk{made: true, steps: [kinds]int{notLive, notLive, notLive, notLive}}
	for i, walker := range w.walkers {
		walker.SetLeave(true)
		out.steps[i] = w.from(walker, i, k, nil, 0)
	}
	if w.disturber == nil {
		return out
	}
	w.disturber.Seed(w.cfg.Seed, choose.Derive(w.cfg.Seed, choose.Path{faultTag, int32(k)}))
	o := w.loop.Run(w.disturber, search.Task{})
	if o.End == search.Misfit {
		w.err = cmp.Or(w.err, fmt.Errorf("faults before walk %d: %w", k, o.Err))
	}
	out.struck = o.Used.Crashes + o.Used.Halts + o.Used.NetErrors + o.Used.Loss + o.Used.Dup + o.Used.Partitions
	start := w.loop.Replay().Path.Clone()
	for i, walker := range w.walkers {
		walker.SetLeave(false)
		switch o.End {
		case search.Found:
			out.steps[2+i] = found
		case search.AtBound:
			out.steps[2+i] = w.from(walker, 2+i, k, start, o.Steps)
		}
	}
	return out
}

// from makes walk k of a kind from the end of path, which has so many steps, and returns those that it took
// to a live state.
func (w *worker) from(walker *search.Walker, kind, k int, path choose.Path, steps int) int {
	walker.Seed(w.cfg.Seed, choose.Derive(w.cfg.Seed, choose.Path{walkTag, int32(kind), int32(k)}))
	o := w.loop.Run(walker, search.Task{Path: path})
	switch {
	case o.End == search.Misfit:
		w.err = cmp.Or(w.err, fmt.Errorf("walk %d: %w", k, o.Err))
	case o.End == search.Found:
		return found
	case o.Live:
		return o.Steps - steps
	}
	return notLive
}
