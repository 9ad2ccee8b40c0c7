package document

import (
	"fmt"
	"strings"

	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/search"
)

// fewWalks is the minimum number of walks for percentages.
const fewWalks = 100

// vacuous warns of a Sometimes property that held in less than 1 % of the walks. An empty string means that it held in
// more, or that there were few walks.
func vacuous(s *stats.Sometimes) string {
	if s.Of < fewWalks || 100*s.Walks >= s.Of {
		return ""
	}
	return fmt.Sprintf("   (RARE: in %s of the random runs, less than 1 %%; code that depends on it is barely tested)", percent(s.Walks, s.Of))
}

// ShortWalks warns that most random walks ended after few steps, which tests little. An empty string means that they did
// not, that there were few walks, or that they do not matter.
func ShortWalks(r *report.Report) string {
	walks, short := 0, 0
	for i := range r.Phases {
		if p := &r.Phases[i]; numbered(p) {
			walks, short = walks+p.Paths, short+p.Short
		}
	}
	if r.Coverage.Complete || r.Verdict == search.Violation || walks < fewWalks || 2*short <= walks {
		return ""
	}
	return fmt.Sprintf("random walks are SHORT: %s of %s took fewer than %d steps", textfmt.Number(short), textfmt.Number(walks),
		stats.ShortWalk)
}

// slowSteps warns that the search spent its time on slow steps. An empty string means none.
func slowSteps(r *report.Report) string {
	if r.Slow == 0 {
		return ""
	}
	spent := 0.0
	for i := range r.Phases {
		if p := &r.Phases[i]; p.Name == "critical" {
			spent += p.Seconds
		}
	}
	return fmt.Sprintf("steps are SLOW, or wait for something outside of the run: %s did not return within --handler-limit, but did when "+
		"executed again, which took %s of %s, so only %s were executed",
		textfmt.Plural(r.Slow, "step"), seconds(spent), seconds(r.Seconds), textfmt.Plural(r.Events, "step"))
}

func percent(part, all int) string {
	if part > 0 && 2000*part < all {
		return "less than 0.1 %"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(all))
}

// afterLive describes the events that were rare after the first live state. An empty string means none,
// or that they are unknown.
func afterLive(c *report.Coverage) string {
	if c.AfterLiveWalks < fewWalks {
		return ""
	}
	var rare []string
	for _, a := range c.AfterLive {
		switch {
		case a.Times == 0:
			rare = append(rare, a.What+" never")
		case 20*a.Walks < c.AfterLiveWalks:
			rare = append(rare, fmt.Sprintf("%s in %s", a.What, percent(a.Walks, c.AfterLiveWalks)))
		}
	}
	if len(rare) == 0 {
		return ""
	}
	return fmt.Sprintf("rare after the first live state, in a sample of %s: %s", textfmt.Plural(c.AfterLiveWalks, "walk"),
		strings.Join(rare, ", "))
}

// Orders describes how many pairs of concurrent events happened in both orders. An empty string means that no pair is
// known.
func Orders(c *report.Coverage) string {
	o := &c.Orders
	if o.Pairs == 0 {
		return ""
	}
	return fmt.Sprintf("orders: %s of %s at one node that were enabled together happened in both orders, in a sample of %s",
		textfmt.Number(o.Both), textfmt.Plural(o.Pairs, "pair")+" of events", textfmt.Plural(o.Walks, "walk"))
}
