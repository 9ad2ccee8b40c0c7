package explorer

import (
	"cmp"
	"time"

	"github.com/macemc/macemc/internal/predict"
	"github.com/macemc/macemc/internal/testsched"
)

// director executes directed schedules among the sampled ones of an exploration.
type director struct {
	predictor *predict.Predictor
	drawn     int // number of schedules taken from queue: sampled ones, and directed ones that replace them
	inserted  int // number of directed schedules before sampled ones for which no later one was left out yet
	closed    int // number in draw of the latest conflict of close or wait operations
	slots     int // number of schedules that replaced reports
	skipped   int // number of sampled schedules that were left out, less those of conflicts that were inserted
	dealer
	bases   map[int]*testsched.Schedule // schedules of analysed runs, by number
	longest uint64                      // number of points of the first run
	points  uint64                      // number of points of all runs
	events  uint64                      // number of analysed events
}

func newDirector(x *exploration) *director {
	return &director{predictor: predict.New(int64(cmp.Or(x.Delay, testsched.UsualDelay))), bases: map[int]*testsched.Schedule{},
		dealer: dealer{exploration: x}}
}

// Bounds of analyses and directed schedules. They count events and not time, so that equal seeds have equal results.
const (
	firstSampled = 3       // sampled schedules before the first directed one
	maxDepth     = 2       // directed runs that a prediction builds on
	minAnalysed  = 1 << 14 // events that are analysed in any case
	analysedPart = 40      // one further event is analysed for so many points of all runs
	delayFrom    = 64      // sampled schedules before the first directed one with a longer delay than usual
	delayEvery   = 9       // one in so many schedules has such a delay; prime to the period of 8 of sampled schedules
	maxDelays    = 100     // directed schedules with such a delay after a complete exploration
)

// sample executes the next schedule, a directed or a sampled one. It reports whether the exploration ends.
func (d *director) sample() bool {
	if len(d.queue) == 0 && d.confirmLeak() { // before further schedules are fetched
		return true
	}
	s, o := d.next()
	stop := d.step(s, o)
	d.ran(s)
	if (s.Prediction == nil || s.Prediction.Carried) && !stop {
		d.longest = max(d.longest, d.result.First.Points)
		d.result.sampled++
	}
	return stop
}

// next returns the next schedule, and its outcome if it was executed ahead.
func (d *director) next() (*testsched.Schedule, *testsched.Outcome) {
	if len(d.queue) == 0 {
		if len(d.blocks) == 0 {
			if s := d.cycle(); s != nil {
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

// draw returns sampled schedule number n, or a directed one before it or in its place, with the limits of runs. A sampled one may carry the
// holds of a prediction.
func (d *director) draw(n int) *testsched.Schedule {
	if n > max(firstSampled, d.closed+1) && n&(n+1) != 0 {
		if x := d.predictor.Close(); x != nil {
			d.closed = n
			d.inserted++
			d.skipped--
			return d.directed(x)
		}
	}
	if replaced(n + d.skipped) {
		if d.slots++; d.inserted > 0 && d.slots%2 == 0 { // so that later sampled schedules have their usual numbers
			d.inserted--
			d.skipped++
		}
	}
	if x := d.flip(n); x != nil {
		return d.directed(x)
	}
	s := d.Config.draw(n+d.skipped, d.longest)
	if n >= firstSampled && (n+d.skipped)%2 == 0 {
		s.Prediction = d.predictor.Carry()
	}
	s.Recorded = n&(n+1) == 0 && d.affords() // the number of schedules up to it is a power of two
	bound(d.result, s)
	return s
}

// flip returns the prediction that replaces sampled schedule number n; nil means that none does. Predictions with a longer delay than
// usual replace one in delayEvery schedules, unless the user has given the longest delay. Flips of new places replace two of the eight
// kinds of schedules.
func (d *director) flip(n int) *predict.Prediction {
	if n >= delayFrom && n%delayEvery == 0 && d.Delay == 0 {
		return d.predictor.Delay()
	}
	if replaced(n + d.skipped) {
		return d.predictor.Flip()
	}
	return nil
}

// replaced reports whether a directed schedule may replace sampled schedule number n.
func replaced(n int) bool { return n >= firstSampled && ((n-2)%8 == 1 || (n-2)%8 == 4) }

// bound sets the limits of a run.
func bound(r *Result, s *testsched.Schedule) {
	s.Limit, s.Unfair, s.Hurried = r.limit, s.Unfair && r.TooLong == 0, r.hurried > 0
}

// cycle returns the next directed schedule for a cycle of locks. nil means that a sampled schedule is next.
func (d *director) cycle() *testsched.Schedule {
	if d.drawn < firstSampled {
		return nil
	}
	x := d.predictor.Cycle()
	if x == nil {
		return nil
	}
	d.inserted++
	return d.directed(x)
}

// follows reports whether the directed run of a prediction is recorded.
func (d *director) follows(x *predict.Prediction) bool { return x.Depth < maxDepth && d.affords() }

// directed returns the schedule of the analysed run with the holds of a prediction.
func (d *director) directed(x *predict.Prediction) *testsched.Schedule {
	s := *d.bases[x.Run]
	s.Manner = testsched.Manner{Recorded: d.follows(x)}
	s.Prediction = x
	if x.Delay > 0 {
		s.Delay = time.Duration(x.Delay)
	}
	bound(d.result, &s)
	return &s
}

// exhaustSmall is exhaust for a small test. A complete exploration has no delays that are longer than usual, so exhaustSmall tries those that
// are predicted, unless the user has given the longest delay.
func (d *director) exhaustSmall() bool {
	if !d.exhaust(exhaustiveRuns) {
		return false
	}
	for n := 0; n < maxDelays && d.Delay == 0; n++ {
		x := d.predictor.Delay()
		if x == nil || d.result.Finding != nil || d.result.Stop != nil {
			break
		}
		s := d.directed(x)
		d.step(s, nil)
		d.ran(s)
	}
	return true
}

// affords reports whether another run may be analysed.
func (d *director) affords() bool { return d.events <= minAnalysed+d.points/analysedPart }

// ran analyses the latest run of the exploration, which had schedule s.
func (d *director) ran(s *testsched.Schedule) {
	o, number := d.result.Last, d.result.Schedules
	if o == nil {
		return
	}
	defer func() { d.result.predicted, d.result.tried = d.predictor.Counts() }()
	if s.Prediction != nil && o.Kind == testsched.Passed {
		d.result.pass(s.Prediction)
	}
	d.points += o.Points
	if s.Recorded {
		d.result.operations = max(d.result.operations, len(o.Events)+o.Unrecorded)
	}
	if !s.Recorded || o.Kind != testsched.Passed {
		return
	}
	by := s.Prediction
	directed := by != nil && !by.Carried
	if directed && by.Flips() && !d.predictor.Fresh(o.Events) { // it has no operation in a new context
		return
	}
	d.events += uint64(len(o.Events))
	if !directed {
		base := *s
		base.Prediction = nil
		d.bases[number], by = &base, nil
	}
	d.predictor.Add(o.Events, number, by)
}
