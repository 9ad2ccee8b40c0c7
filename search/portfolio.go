package search

import (
	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/schedules"
)

// rowRuns makes the runs of a row by number, from its roots in turn.
type rowRuns struct {
	portfolio portfolio
	seed      uint64
	tag       int32
	roots     []choose.Path
	next, end int
	number    int // of the run in progress
}

// take returns the next run, and sets its schedule and random stream.
func (r *rowRuns) take(random *choose.Random) (runloop.Task, bool) {
	if r.next >= r.end {
		return runloop.Task{}, false
	}
	k := r.next
	r.next, r.number = k+1, k
	random.Seed(r.seed, choose.Derive(r.seed, choose.Path{-r.tag, int32(k), int32(k >> 31)}))
	r.portfolio.turn(k)
	return runloop.Task{Path: r.roots[k%len(r.roots)]}, true
}

func (r *rowRuns) begin(u *unit) {
	r.next, r.end, r.portfolio.mix = u.first, u.first+u.count, u.mix
}

// rest returns the rest of a row, or nil if there is none.
func (r *rowRuns) rest(u *unit) *unit {
	if n := u.first + u.count - r.next; n > 0 {
		return &unit{phase: u.phase, first: r.next, count: n, mix: u.mix}
	}
	return nil
}

func (r *rowRuns) setRoots(roots []choose.Path) { r.roots = roots }
func (r *rowRuns) scheduled() Schedule          { return r.portfolio.scheduled() }

// portfolio is the schedules of the walks of one row.
type portfolio struct {
	base  *schedules.Base
	names []Schedule
	all   []schedules.Scheduler // as names
	mix   []uint8               // of the unit in progress
	now   int                   // index in names of the run in progress
	used  bool                  // by the run in progress
}

func newPortfolio(c *Config) portfolio { return portfolioOf(c.Weights, c.weightsGiven, c.Schedules) }

func portfolioOf(w Weights, given bool, names []Schedule) portfolio {
	p := portfolio{base: &schedules.Base{Scale: newScale(w), Given: given}, names: names}
	for _, name := range names {
		for i := range schedules.All {
			if Schedule(schedules.All[i].Name) == name {
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

// scheduled returns the schedule of the run that has just ended, or "" if it had none.
func (p *portfolio) scheduled() Schedule {
	if !p.used {
		return ""
	}
	return p.names[p.now]
}

// length draws from low to high, with equal probability for each order of magnitude.
func length(r *choose.Random, low, high int) int {
	doublings := 0
	for low<<(doublings+1) <= high {
		doublings++
	}
	n := low << r.IntN(doublings+1)
	return min(high, n+r.IntN(n))
}
