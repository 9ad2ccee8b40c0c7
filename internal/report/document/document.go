// Package document puts reports into words. A [Document] has what renderers print: title, facts, lines of coverage, excerpts of runs and test
// cases. Each other file describes one part of a report.
package document

import (
	"strings"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Document is what the renderers print of a report.
type Document struct {
	Report     *report.Report
	Properties []sim.Property // of the system
	Style      Style          // of text

	Title    string // "pingack: LIVENESS VIOLATION"
	Sentence string // what is wrong, since when, and where; "" when nothing was found
	Facts    []Fact
	Coverage []string // of a search that found nothing, or continued
	// Dead is the violating run. Nil means that it was not traced. Live is the nearest live run, if it is known.
	Dead, Live *eventgraph.Graph
	// DeadSteps and LiveSteps are the excerpts worth showing.
	DeadSteps, LiveSteps []int
	LiveFrom             int         // first step in which the live run differs
	Tail                 string      // what goes on forever; "" when nothing is known
	Difference           string      // first difference of the states of both runs
	Findings             []*Document // of a search that continued
}

// Fact is one labelled statement, with an aside.
type Fact struct{ Label, Text, Aside string }

// Style says how a terminal report looks. The zero value suits a log.
type Style struct {
	Color bool // for a terminal: headline and marked step stand out
	Width int  // columns; 0: 100
	Brief bool // a search that found nothing takes five lines at most
}

// New returns the document of a report. Properties are those of the system; test cases need them.
func New(r *report.Report, properties []sim.Property) *Document {
	d := &Document{Report: r, Properties: properties, Title: SystemName(r) + ": "}
	for _, f := range r.Findings {
		d.Findings = append(d.Findings, New(f, nil))
	}
	if !d.Single() {
		d.Title += outcome(r)
		d.Coverage = coverageLines(r)
		return d
	}
	d.Title += strings.ToUpper(kindNames[r.Kind])
	d.Facts, d.Sentence = reportFacts(r), sentence(r)
	if r.Dead != nil {
		d.Dead = eventgraph.Build(r.Dead)
		d.DeadSteps = d.deadExcerpt()
	}
	c := r.Critical
	if c == nil {
		return d
	}
	if d.Tail = tailText(c.Tail); c.OutOfEvents {
		d.Tail = stuckText(r)
	}
	if r.Dead == nil {
		return d
	}
	if r.Live != nil {
		d.Live = eventgraph.Build(r.Live)
		d.LiveFrom = c.LiveCommon + 1
	}
	in := look(d.Dead, d.Live, r, c.LiveCommon)
	if d.Live != nil {
		d.LiveSteps = d.liveExcerpt(in)
		d.Difference = firstDifference(r.Dead, r.Live, c.LiveCommon)
	}
	d.Facts = append(append(d.Facts, in.facts(c.Node)...), laterFacts(r)...)
	return d
}

// Single reports whether the document is about one finding.
func (d *Document) Single() bool {
	return d.Report.Verdict == search.Violation && d.Report.Findings == nil
}
