package agents

import (
	"sync"
	"time"

	"github.com/macemc/macemc/internal/testsched"
)

// worker executes blocks in a process, in their order.
type worker struct {
	pool    *Pool
	first   bool // its process waits for the verdict
	blocks  chan *block
	ended   chan struct{}
	version int // of the weights that the process has
}

// block is a list of schedules that one process executes.
type block struct {
	schedules []*testsched.Schedule
	first     int  // number of the first one in the exploration
	partial   bool // the first response ends it

	worker   *worker
	done     chan struct{} // closed when the rest is known
	outcomes []*testsched.Outcome
	effects  bool // see [testsched.Response]
	lost     bool // the process has ended
}

// mostBlocks is the maximum number of blocks that wait for one process.
const mostBlocks = 256

func (p *Pool) add() *worker {
	w := &worker{pool: p, first: len(p.workers) == 0, blocks: make(chan *block, mostBlocks), ended: make(chan struct{})}
	p.workers = append(p.workers, w)
	return w
}

// work executes blocks by a runner; nil means that the process has ended.
func (w *worker) work(r *Runner) {
	defer close(w.ended)
	for b := range w.blocks {
		if b.lost = r == nil || w.pool.ends(w); !b.lost {
			end := w.pool.claim()
			b.lost = !working(func() { w.execute(b, r) })
			end()
		}
		if b.lost {
			r = nil
		}
		close(b.done)
	}
}

// ends reports whether a worker leaves out the rest of its blocks, whose outcomes nobody needs.
func (p *Pool) ends(w *worker) bool { return p.closed.Load() && !w.first || p.hurry.Load() }

// other works with another process, which it starts.
func (w *worker) other() {
	end := sync.OnceFunc(w.pool.claim())
	begun := false
	if !w.pool.closed.Load() {
		w.pool.open(func(r *Runner) {
			if end(); r.base == w.pool.base {
				begun = true
				w.work(r)
			}
		})
	}
	if end(); !begun {
		w.work(nil)
	}
}

func (w *worker) execute(b *block, r *Runner) {
	for len(b.outcomes) < len(b.schedules) && !w.pool.ends(w) {
		q := &testsched.Request{Executed: b.first + len(b.outcomes), Weights: w.weights()}
		answer := r.execute(b.schedules[len(b.outcomes):], q)
		b.outcomes = append(b.outcomes, answer.Outcomes...)
		b.effects = b.effects || answer.Effects
		if w.pool.see(answer.Weights); b.partial {
			return
		}
	}
}

// weights returns the weights that the process lacks.
func (w *worker) weights() []testsched.Weight {
	p := w.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if w.version == p.version {
		return nil
	}
	w.version = p.version
	return p.weights
}

// claimInterval is the time after which a core may be free.
const claimInterval = 10 * time.Millisecond

// claim waits for a core, and returns a function that releases it.
func (p *Pool) claim() (release func()) {
	own := func() { p.own <- struct{}{} }
	for {
		select {
		case <-p.own:
			return own
		default:
		}
		if release := p.cores.claim(); release != nil {
			return release
		}
		select {
		case <-p.own:
			return own
		case <-time.After(claimInterval):
		}
	}
}
