package runs

import (
	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/search/fpset"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/schedules"
)

// numberedRuns makes runs by number, from its roots in turn. The seed of a run is a hash of the seed of the search, tag
// and its number, so that it depends neither on other runs nor on the number of workers.
type numberedRuns struct {
	portfolio portfolio
	seed      uint64
	tag       int32 // separates the seeds of strategies from each other; negative in the hash, as no pick is, also from those of paths
	roots     []choose.Path
	next, end int
	number    int // of the run in progress
}

func newNumberedRuns(c Settings, tag int32) numberedRuns {
	return numberedRuns{portfolio: newPortfolio(c), seed: c.Seed, tag: tag}
}

// take returns the next run, and sets its schedule and random stream.
// The stream depends on the seed, the kind of walks and the number alone, and not on the worker.
func (r *numberedRuns) take(d *draws) (runloop.Task, bool) {
	if r.next >= r.end {
		return runloop.Task{}, false
	}
	k := r.next
	r.next, r.number = k+1, k
	d.random.Seed(r.seed, choose.Derive(r.seed, choose.Path{-r.tag, int32(k), int32(k >> 31)}))
	r.portfolio.turn(k)
	task := runloop.Task{Path: r.roots[k%len(r.roots)]}
	d.depart(len(task.Path) > 0)
	return task, true
}

// Begin implements [Strategy].
func (r *numberedRuns) Begin(j *Job, _ *fpset.Set) {
	r.next, r.end, r.portfolio.mix = j.First, j.First+j.Count, j.Mix
}

// Rest implements [Strategy].
func (r *numberedRuns) Rest(j *Job) *Job {
	if n := j.First + j.Count - r.next; n > 0 {
		return &Job{First: r.next, Count: n, Mix: j.Mix}
	}
	return nil
}

// SetRoots sets the paths at whose ends runs begin, in turn.
func (r *numberedRuns) SetRoots(roots []choose.Path) { r.roots = roots }

// Scheduled returns the schedule of the run that has just ended, or "" if it had none.
func (r *numberedRuns) Scheduled() string {
	if !r.portfolio.used {
		return ""
	}
	return r.portfolio.names[r.portfolio.now]
}

// portfolio holds the schedules that numbered runs get in turn.
type portfolio struct {
	base  *schedules.Base
	names []string
	all   []schedules.Scheduler // as names
	mix   []uint8               // indices in names by number of run modulo its length, for the job in progress; empty means in turn
	now   int                   // index in names of the run in progress
	used  bool                  // by the run in progress
}

func newPortfolio(c Settings) portfolio {
	p := portfolio{base: &schedules.Base{Scale: c.Scale, Given: c.Given}, names: c.Schedules}
	for _, name := range c.Schedules {
		for i := range schedules.All {
			if schedules.All[i].Name == name {
				p.all = append(p.all, schedules.All[i].New(p.base))
			}
		}
	}
	return p
}

// turn sets the schedule of run number k.
func (p *portfolio) turn(k int) {
	p.now, p.used = 0, false
	if len(p.mix) > 0 {
		p.base.Plain = k < plainRuns
		p.now = int(p.mix[k%len(p.mix)])
	}
}

// begin begins a scheduled part of a walk, of at most so many steps.
func (p *portfolio) begin(r *choose.Random, at *runloop.Node, steps int) {
	p.base.Adopt(at.Run.World, false)
	p.used = true
	p.all[p.now].Begin(r, at.Run.World, steps)
}

// next returns the index of the ordinary event to execute, or -1 if none may be.
func (p *portfolio) next(at *runloop.Node) int { return p.all[p.now].Next(at.Run.World, at.Enabled) }

// length draws from low to high, with equal probability for each order of magnitude.
func length(r *choose.Random, low, high int) int {
	doublings := 0
	for low<<(doublings+1) <= high {
		doublings++
	}
	n := low << r.IntN(doublings+1)
	return min(high, n+r.IntN(n))
}
