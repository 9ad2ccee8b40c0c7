package gotest

import (
	"fmt"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/explorer/summary"
	"github.com/macemc/macemc/internal/explorer/systematic"
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
	delays           time.Duration // the longest of those of tests
	elapsed          time.Duration
	excused          []string       // tests that fail without a new finding
	names            map[string]int // number of tests of each function's name
	found            []string       // tests with a new finding
	results          []*summary.Test
	saved            summary.Saved
	short            shortBy
	sampling
}

// sampling is the part of a sum for tests whose schedules were sampled.
type sampling struct {
	sampled     int // number of tests with a share of new orders
	unsaturated int // number of these in which new orders are not rare
	predictions summary.Predictions
}

// count adds a test.
func (p *packageSummary) count(t *summary.Test) {
	p.saved.Add(t.Saved)
	p.short.count(t.Short)
	p.predictions.Add(t.Predictions)
	if t.Sampled {
		p.sampled++
	}
	if t.Unsaturated {
		p.unsaturated++
	}
	if strings.HasPrefix(t.Note, unexplored) || t.Note == searched {
		return
	}
	p.tests++
	p.schedules, p.delays, p.elapsed = p.schedules+t.Schedules, max(p.delays, t.Delays), p.elapsed+t.Elapsed
	if t.Kind == summary.CompleteFor {
		p.drawn++
	} else if t.Kind != summary.Complete {
		return
	}
	p.complete++
	if t.Preemptions < systematic.Unbounded && (!p.bounded || t.Preemptions < p.preemptions) {
		p.bounded, p.preemptions = true, t.Preemptions
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
		complete += fmt.Sprintf(" with delays up to %v (-explore-delay %v tries longer ones)", p.delays, summary.LongerDelay(p.delays))
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
