package agents

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/macemc/macemc/internal/testsched"
)

// Pool executes the schedules of a test in several processes. The calls of its methods alone determine which process executes a schedule,
// and after which others. The cores that are free only determine how many processes work at once, so that outcomes depend on neither.
type Pool struct {
	runs    *Runs
	open    Opening
	cores   *Cores
	own     chan struct{} // holds a value while no worker uses the core that this process may always use
	workers []*worker     // the first one has the process that waits for the verdict
	alone   bool          // one process executes all schedules
	start   uint64        // number of points after which another process pays off
	showing testsched.Showing
	base    int64 // of the processes; outcomes contain addresses
	closed  atomic.Bool
	hurry   atomic.Bool // see Close

	mu      sync.Mutex
	seen    map[uint64]uint64 // points by goroutine, the maximum of all runs
	weights []testsched.Weight
	version int // of weights
}

// Opening starts another process of a test, and calls work with its runner when the test begins there and is warm. It returns when the
// process has ended.
type Opening func(work func(*Runner))

// most is the maximum number of processes.
const most = 4

// NewPool returns a pool for the test that a process executes by a runner.
func NewPool(r *Runner, open Opening, cores *Cores, showing testsched.Showing) *Pool {
	p := &Pool{runs: r.Runs, open: open, cores: cores, own: make(chan struct{}, 1), start: r.start, showing: showing, alone: r.start == 0,
		base: r.base, seen: map[uint64]uint64{}}
	p.own <- struct{}{}
	go p.add().work(r)
	return p
}

// Count returns the number of processes for an exploration whose runs have passed so many points.
func (p *Pool) Count(points uint64) int {
	switch {
	case p.alone || points < p.start:
		return 1
	case points < 4*p.start:
		return most / 2
	}
	return most
}

// Run executes a schedule in the first process.
func (p *Pool) Run(s *testsched.Schedule) *testsched.Outcome {
	return p.Batch([]*testsched.Schedule{s})[0]
}

// Batch executes the first of some schedules in the first process: at least one, and up to one that does not pass.
func (p *Pool) Batch(list []*testsched.Schedule) []*testsched.Outcome {
	outcomes := p.wait(p.deal(0, &block{schedules: list, first: p.runs.Executed + 1, partial: true}))
	p.runs.Executed += len(outcomes)
	return outcomes
}

// Deal makes a process execute schedules, after those that were dealt to it before. wait returns their outcomes.
func (p *Pool) Deal(process int, list []*testsched.Schedule) (wait func() []*testsched.Outcome) {
	b := p.deal(process, &block{schedules: list, first: p.runs.Executed + 1})
	p.runs.Executed += len(list)
	return func() []*testsched.Outcome { return p.wait(b) }
}

func (p *Pool) deal(process int, b *block) *block {
	for len(p.workers) <= process {
		w := p.add()
		p.cores.others.Go(w.other)
	}
	for _, s := range b.schedules {
		s.Showing = p.showing
	}
	b.worker, b.done = p.workers[process], make(chan struct{})
	b.worker.blocks <- b
	return b
}

// wait returns the outcomes of a block. The first process executes the schedules of others that have ended, so that the one that ends it is
// found as without them.
func (p *Pool) wait(b *block) []*testsched.Outcome {
	<-b.done
	if b.lost && b.worker == p.workers[0] {
		panic(lost{})
	}
	p.alone = p.alone || b.lost || b.effects ||
		slices.ContainsFunc(b.outcomes, func(o *testsched.Outcome) bool { return o.Outside || o.Patient })
	if b.lost {
		return p.wait(p.deal(0, &block{schedules: b.schedules, first: b.first}))
	}
	return b.outcomes
}

// Weigh makes later runs with policy SURW use the weights of the runs so far, which must have ended.
func (p *Pool) Weigh() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.version++
	p.weights = p.weights[:0:0]
	for who, points := range p.seen {
		p.weights = append(p.weights, testsched.Weight{Who: who, Points: points})
	}
	slices.SortFunc(p.weights, func(a, b testsched.Weight) int { return cmp.Compare(a.Who, b.Who) })
}

// see adds weights of runs.
func (p *Pool) see(list []testsched.Weight) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range list {
		p.seen[w.Who] = max(p.seen[w.Who], w.Points)
	}
}

// Close ends the other processes, and returns when the first one has executed what was dealt to it, as far as it has begun in a hurry.
func (p *Pool) Close(hurry bool) {
	p.closed.Store(true)
	p.hurry.Store(hurry)
	for _, w := range p.workers {
		close(w.blocks)
	}
	<-p.workers[0].ended
}
