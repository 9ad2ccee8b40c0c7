package testsched

import (
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/predict"
	"github.com/macemc/macemc/internal/testsched/program"
)

// director executes directed schedules among the sampled ones of an exploration.
type director struct {
	config    *Config
	result    *Result
	predictor *predict.Predictor
	drawn     int               // number of sampled schedules
	bases     map[int]*Schedule // analysed runs, by number
	longest   uint64            // points of the first run
	points    uint64            // of all runs
	events    uint64            // that were analysed
}

func newDirector(c *Config, r *Result) *director {
	return &director{config: c, result: r, predictor: predict.New(), bases: map[int]*Schedule{}}
}

// Bounds of analyses. They count events and not time, so that equal seeds have equal results.
const (
	maxDepth     = 2       // directed runs that a prediction builds on
	minAnalysed  = 1 << 16 // events that are analysed in any case
	analysedPart = 16      // of the points of all runs, one in so many
)

// sample executes the next schedule, a directed or a sampled one, by step, which reports whether the exploration ends.
func (d *director) sample(step func(*Schedule) bool) bool {
	r, s := d.result, d.next()
	if s == nil {
		s = d.config.draw(d.drawn, d.longest)
		d.drawn++
		s.Recorded = d.drawn&(d.drawn-1) == 0 && d.affords() // numbers that are powers of two
	}
	stop := step(s)
	d.ran(s)
	if s.Prediction == nil && !stop {
		d.longest = max(d.longest, r.First.Points)
		r.sampled++
	}
	return stop
}

// next returns the next directed schedule. nil means that a sampled schedule is next.
func (d *director) next() *Schedule {
	x := d.predictor.Next()
	if x == nil {
		return nil
	}
	s := *d.bases[x.Run]
	s.Manner = Manner{Recorded: x.Depth < maxDepth && d.affords()}
	s.Prediction = x
	return &s
}

// affords reports whether another run may be analysed.
func (d *director) affords() bool { return d.events <= minAnalysed+d.points/analysedPart }

// ran analyses the latest run of the exploration, which had schedule s.
func (d *director) ran(s *Schedule) {
	o, number := d.result.Last, d.result.Schedules
	if o == nil {
		return
	}
	defer func() { d.result.predicted, d.result.tried = d.predictor.Counts() }()
	if s.Prediction != nil && d.result.prediction == nil {
		d.result.refute(refutation{number, s.Prediction})
	}
	d.points += o.Points
	if !s.Recorded || o.Kind != Passed {
		return
	}
	d.events += uint64(len(o.Events))
	if s.Prediction == nil {
		base := *s
		d.bases[number] = &base
	}
	d.predictor.Add(o.Events, number, s.Prediction)
}

// predictions describes the predictions of an exploration.
type predictions struct {
	predicted  int          // number of cycles and flips
	tried      int          // number of them that a directed run has executed
	refuted    []refutation // the first ones
	refutedN   int
	prediction *predict.Prediction // of the finding; nil means none
}

// refutation is a directed run without a finding.
type refutation struct {
	schedule   int
	prediction *predict.Prediction
}

// counts returns the number of predictions, of those tried and of those confirmed.
func (p *predictions) counts() (predicted, tried, confirmed int) {
	if p.prediction != nil {
		confirmed = 1
	}
	return p.predicted, p.tried, confirmed
}

// String returns an empty string if there are none.
func (p *predictions) String() string {
	if p.predicted == 0 {
		return ""
	}
	predicted, tried, confirmed := p.counts()
	return PredictionCounts(predicted, tried, confirmed)
}

// PredictionCounts describes numbers of predictions.
func PredictionCounts(predicted, tried, confirmed int) string {
	return fmt.Sprintf("%s, %d tried, %d confirmed", program.Plural(predicted, "prediction", "predictions"), tried, confirmed)
}

// maxListed is the maximum number of refuted predictions that are listed.
const maxListed = 50

func (p *predictions) refute(x refutation) {
	if p.refutedN++; p.refutedN <= maxListed {
		p.refuted = append(p.refuted, x)
	}
}

// list returns lines about the predictions that were refuted.
func (p *predictions) list() (lines []string) {
	for _, x := range p.refuted {
		lines = append(lines, fmt.Sprintf("schedule %d refutes the prediction from schedule %d: %s", x.schedule, x.prediction.Run,
			strings.Join(append([]string{x.prediction.What}, describePairs(x.prediction)...), "; ")))
	}
	if more := p.refutedN - len(p.refuted); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more directed schedules", more))
	}
	return lines
}

// predictedLines returns lines with the operations of a prediction, if it is not nil.
func predictedLines(x *predict.Prediction) (lines []string) {
	if x == nil {
		return nil
	}
	for _, text := range describePairs(x) {
		lines = append(lines, "  predicted: "+text)
	}
	return lines
}

// describePairs describes the operations of a prediction, without repetitions.
func describePairs(x *predict.Prediction) (texts []string) {
	for _, pair := range x.Pairs {
		text := pairText(pair)
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return texts
}

func pairText(pair predict.Pair) string {
	texts := make([]string, len(pair))
	for i, o := range pair {
		texts[i] = program.Op(o.Op).String() + " at an unknown place"
		if o.Place != 0 {
			texts[i] = program.Op(o.Op).String() + " at " + Frames([]uintptr{uintptr(o.Place)}).Where()
		}
	}
	return strings.Join(texts, ", then ")
}

// by describes how a finding was found: by the prediction, or by a policy.
func (p *predictions) by(policy Policy) string {
	if x := p.prediction; x != nil {
		return fmt.Sprintf("predicted from schedule %d: %s", x.Run, x.What)
	}
	return policy.strategy()
}
