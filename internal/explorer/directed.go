package explorer

import (
	"github.com/macemc/macemc/internal/explorer/sampling"
	"github.com/macemc/macemc/internal/testsched"
)

// warmUp is the run that precedes a run with Warm set.
var warmUp = testsched.Schedule{Seed: 1}

// aside is warmUp before a run that is shown.
var aside = testsched.Schedule{Seed: warmUp.Seed, Manner: testsched.Manner{Showing: testsched.Aside}}

// draw returns schedule number n of an exploration without directed ones. points is the number of points of a run.
func (c *Config) draw(n int, points uint64) *testsched.Schedule { return c.sampling().Draw(n, points) }

func (c *Config) sampling() sampling.Options {
	return sampling.Options{Seed: c.Seed, Race: c.Race, Delay: c.Delay}
}

// director executes directed schedules among the sampled ones of an exploration.
type director struct {
	source *sampling.Source
	drawn  int // number of schedules taken from queue: sampled ones, and directed ones that replace them
	dealer
}

func newDirector(x *exploration) *director {
	return &director{source: sampling.New(x.sampling()), dealer: dealer{exploration: x}}
}

// sample executes the next schedule, a directed or a sampled one. It reports whether the exploration ends.
func (d *director) sample() bool {
	if len(d.queue) == 0 && d.confirmLeak() { // before further schedules are fetched
		return true
	}
	s, o := d.next()
	stop := d.step(s, o)
	d.ran(s)
	if (s.Prediction == nil || s.Prediction.Carried) && !stop {
		d.result.sampled++
	}
	return stop
}

// next returns the next schedule, and its outcome if it was executed ahead.
func (d *director) next() (*testsched.Schedule, *testsched.Outcome) {
	if len(d.queue) == 0 {
		if len(d.blocks) == 0 && d.drawn >= sampling.First {
			if s := d.source.Cycle(); s != nil {
				return s, nil
			}
		}
		d.fetch(d.draws)
	}
	s := d.queue[0]
	d.drawn, d.queue = d.drawn+1, d.queue[1:]
	return s.schedule, s.outcome
}

// draws draws the next schedules into d.list, unless it has some. Schedules after a recorded run depend on its record, so they are drawn
// only when the run has ended.
func (d *director) draws() {
	c, left := d.Config, d.Config.Schedules-d.result.Schedules-d.pending
	if n := d.drawn + d.pending; len(d.list) == 0 {
		if recordable := n&(n+1) == 0 || n&(n-1) == 0; d.pending > 0 && (recordable || d.recorded || c.Schedules > 0 && left <= 0) {
			return
		} else if recordable && c.Agents != nil {
			c.Agents.Weigh()
		}
		d.list = []*testsched.Schedule{d.draw(n)}
		for n++; c.Agents != nil && d.drawn >= unbatched && !d.list[len(d.list)-1].Recorded && len(d.list) < batchSchedules; n++ {
			if n&(n+1) == 0 || c.Schedules > 0 && len(d.list) >= left {
				break
			}
			d.list = append(d.list, d.draw(n))
		}
		d.recorded = d.list[len(d.list)-1].Recorded
	}
	for _, s := range d.list {
		bound(d.result, s)
	}
}

// draw draws schedule number n of the source.
func (d *director) draw(n int) *testsched.Schedule {
	points := uint64(0)
	if d.result.First != nil {
		points = d.result.First.Points
	}
	return d.source.Draw(n, points)
}

// bound sets the limits of a run.
func bound(r *Result, s *testsched.Schedule) {
	s.Limit, s.Unfair, s.Hurried = r.limit, s.Unfair && r.TooLong == 0, r.hurried > 0
}

// maxDelays is the maximum number of directed schedules with a longer delay than usual after a complete exploration.
const maxDelays = 100

// exhaustSmall is exhaust for a small test. A complete exploration has no delays that are longer than usual, so exhaustSmall tries those that
// are predicted, unless the user has given the longest delay.
func (d *director) exhaustSmall() bool {
	if !d.exhaust(exhaustiveRuns) {
		return false
	}
	for range maxDelays {
		s := d.source.Delay()
		if s == nil || d.result.Finding != nil || d.result.Stop != nil {
			break
		}
		d.step(s, nil)
		d.ran(s)
	}
	return true
}

// ran adds the latest run of the exploration, which had schedule s.
func (d *director) ran(s *testsched.Schedule) {
	r, o := d.result, d.result.Last
	if o == nil {
		return
	}
	if s.Prediction != nil && o.Kind == testsched.Passed {
		r.pass(s.Prediction)
	}
	if s.Recorded {
		r.operations = max(r.operations, len(o.Events)+o.Unrecorded)
	}
	d.source.Ran(s, o, r.Schedules)
	r.predicted, r.tried = d.source.Counts()
}
