package sampling

import (
	"cmp"
	"time"

	"github.com/macemc/macemc/internal/predict"
	"github.com/macemc/macemc/internal/testsched"
)

// Source draws sampled schedules, and directed ones that follow from the records of runs. Equal calls have equal results.
type Source struct {
	options   Options
	predictor *predict.Predictor
	inserted  int                         // number of directed schedules before sampled ones for which no later one was left out yet
	closed    int                         // number in Draw of the latest conflict of close or wait operations
	slots     int                         // number of schedules that replaced reports
	skipped   int                         // number of sampled schedules that were left out, less those of conflicts that were inserted
	bases     map[int]*testsched.Schedule // schedules of analysed runs, by number
	points    uint64                      // number of points of all runs
	events    uint64                      // number of analysed events
}

// New returns the source of an exploration.
func New(o Options) *Source {
	return &Source{options: o, predictor: predict.New(int64(cmp.Or(o.Delay, testsched.UsualDelay))), bases: map[int]*testsched.Schedule{}}
}

// First is the number of sampled schedules before the first directed one.
const First = 3

// Bounds of analyses and directed schedules. They count events and not time, so that equal seeds have equal results.
const (
	maxDepth     = 2       // directed runs that a prediction builds on
	minAnalysed  = 1 << 14 // events that are analysed in any case
	analysedPart = 40      // one further event is analysed for so many points of all runs
	delayFrom    = 64      // sampled schedules before the first directed one with a longer delay than usual
	delayEvery   = 9       // one in so many schedules has such a delay; prime to the period of 8 of sampled schedules
)

// Draw returns sampled schedule number n, or a directed one before it or in its place. A sampled one may carry the holds of a prediction.
// points is the number of points of a run.
func (d *Source) Draw(n int, points uint64) *testsched.Schedule {
	if n > max(First, d.closed+1) && n&(n+1) != 0 {
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
	s := d.options.Draw(n+d.skipped, points)
	if n >= First && (n+d.skipped)%2 == 0 {
		s.Prediction = d.predictor.Carry()
	}
	s.Recorded = n&(n+1) == 0 && d.affords() // the number of schedules up to it is a power of two
	return s
}

// flip returns the prediction that replaces sampled schedule number n; nil means that none does. Predictions with a longer delay than
// usual replace one in delayEvery schedules, unless the user has given the longest delay. Flips of new places replace two of the eight
// kinds of schedules.
func (d *Source) flip(n int) *predict.Prediction {
	if n >= delayFrom && n%delayEvery == 0 && d.options.Delay == 0 {
		return d.predictor.Delay()
	}
	if replaced(n + d.skipped) {
		return d.predictor.Flip()
	}
	return nil
}

// replaced reports whether a directed schedule may replace sampled schedule number n.
func replaced(n int) bool { return n >= First && ((n-2)%8 == 1 || (n-2)%8 == 4) }

// Cycle returns the next directed schedule for a cycle of locks. nil means that a sampled schedule is next.
func (d *Source) Cycle() *testsched.Schedule {
	x := d.predictor.Cycle()
	if x == nil {
		return nil
	}
	d.inserted++
	return d.directed(x)
}

// Delay returns the next directed schedule with a longer delay than usual. nil means that there is none, or that the user has given the
// longest delay.
func (d *Source) Delay() *testsched.Schedule {
	if d.options.Delay != 0 {
		return nil
	}
	x := d.predictor.Delay()
	if x == nil {
		return nil
	}
	return d.directed(x)
}

// directed returns the schedule of the analysed run with the holds of a prediction.
func (d *Source) directed(x *predict.Prediction) *testsched.Schedule {
	s := *d.bases[x.Run]
	s.Manner = testsched.Manner{Recorded: x.Depth < maxDepth && d.affords()}
	s.Prediction = x
	if x.Delay > 0 {
		s.Delay = time.Duration(x.Delay)
	}
	return &s
}

// affords reports whether another run may be analysed.
func (d *Source) affords() bool { return d.events <= minAnalysed+d.points/analysedPart }

// Ran analyses a run of the exploration, with a number, which had schedule s.
func (d *Source) Ran(s *testsched.Schedule, o *testsched.Outcome, number int) {
	d.points += o.Points
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

// Counts returns the number of predicted cycles and flips, and how many of them were tried.
func (d *Source) Counts() (predicted, tried int) { return d.predictor.Counts() }
