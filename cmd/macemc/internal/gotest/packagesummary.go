package gotest

import (
	"fmt"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/explorer"
	"github.com/macemc/macemc/internal/testbudget"
	"github.com/macemc/macemc/internal/textfmt"
)

// packageSummary is the sum over the tests of packages.
type packageSummary struct {
	tests, schedules int
	complete         int // number of tests, with the next
	drawn            int // number of tests that are complete for what they drew
	bounded          bool
	preemptions      int           // if bounded, the lowest maximum of the complete tests
	delays           time.Duration // the longest of explorer.Result.Delays
	elapsed          time.Duration
	excused          []string       // tests that fail without a new finding
	names            map[string]int // number of tests of each function's name
	found            []string       // tests with a new finding
	results          []*explorer.Summary
	saved            explorer.Saved
	short            shortBy
	sampling
}

// sampling is the part of a sum for tests whose schedules were sampled.
type sampling struct {
	sampled     int // number of tests with a share of new orders
	unsaturated int // number of these in which new orders are not rare
	predictions explorer.PredictionCounts
}

// sumOf returns the sum over one test.
func sumOf(t *explorer.Summary) packageSummary {
	one := packageSummary{saved: t.Saved, short: shortOf(t.Short), sampling: sampling{predictions: t.Predictions}}
	if t.Sampled {
		one.sampled = 1
	}
	if t.Unsaturated {
		one.unsaturated = 1
	}
	if strings.HasPrefix(t.Note, unexplored) || t.Note == searched {
		return one
	}
	one.tests, one.schedules, one.delays, one.elapsed = 1, t.Schedules, t.Delays, t.Elapsed
	if t.Kind == explorer.Complete || t.Kind == explorer.CompleteFor {
		one.complete, one.bounded, one.preemptions = 1, t.Preemptions < explorer.Unbounded, t.Preemptions
	}
	if t.Kind == explorer.CompleteFor {
		one.drawn = 1
	}
	return one
}

// add adds another sum.
func (p *packageSummary) add(q packageSummary) {
	p.tests += q.tests
	p.schedules += q.schedules
	p.complete += q.complete
	p.drawn += q.drawn
	p.elapsed += q.elapsed
	p.delays = max(p.delays, q.delays)
	p.saved.Add(q.saved)
	if p.short == nil {
		p.short = shortBy{}
	}
	p.short.add(q.short)
	p.sampled += q.sampled
	p.unsaturated += q.unsaturated
	p.predictions.Add(q.predictions)
	if q.bounded && (!p.bounded || q.preemptions < p.preemptions) {
		p.bounded, p.preemptions = true, q.preemptions
	}
}

func (p packageSummary) String() string {
	complete := ""
	if p.complete > 0 {
		complete = fmt.Sprintf(" (%d complete", p.complete)
		if p.bounded {
			complete += " with at most " + textfmt.Plural(p.preemptions, "preemption") + ", early timers included"
		}
		if p.drawn > 0 {
			complete += fmt.Sprintf(", %d of them for what they drew", p.drawn)
		}
		complete += ")"
	}
	if p.delays > 0 {
		complete += fmt.Sprintf(" with delays up to %v (-explore-delay %v tries longer ones)", p.delays, explorer.LongerDelay(p.delays))
	}
	text := fmt.Sprintf("%s of %s%s, %.0f/s", textfmt.Plural(p.schedules, "schedule"), textfmt.Plural(p.tests, "test"), complete,
		float64(p.schedules)/max(p.elapsed.Seconds(), 1e-6))
	raise := byTime
	if _, total := p.short[testbudget.ByTotal]; total {
		raise = testbudget.ByTotal
	}
	switch {
	case p.unsaturated > 0 && p.tests > 1:
		text += fmt.Sprintf(", new orders until the end in %d of them (raise %s)", p.unsaturated, raise)
	case p.unsaturated > 0:
		text += fmt.Sprintf(", new orders until the end (raise %s)", raise)
	case p.sampled > 0:
		text += ", new orders are rare"
	}
	if n := p.predictions; n.Predicted > 0 {
		text += ", " + n.String()
	}
	if saved := p.saved.String(); saved != "" {
		text += "; " + saved
	}
	return text + p.short.String()
}
