// Package document puts reports into words. A [Document] has what renderers print: title, facts, lines of coverage, excerpts of runs and test
// cases. Each other file describes one part of a report.
package document

import (
	"slices"
	"strings"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/replay"
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
	Sentence string // what is wrong, and since when; "" when nothing was found
	// Violated says what is violated and by which step, Code is the source around that step's handler, and Compared says what the step did,
	// what the nearest live run did instead, and how sure this is. Facts are the rest.
	Violated []Fact
	Code     *Code
	Compared []Fact
	Facts    []Fact
	Coverage []string // of a search that found nothing, or continued
	// Dead is the violating run. Nil means that it was not traced. Live is the nearest live run, if it is known.
	Dead, Live *eventgraph.Graph
	// DeadSteps and LiveSteps are the excerpts worth showing.
	DeadSteps, LiveSteps []int
	// DeadNamed and LiveNamed are steps that the text names besides.
	DeadNamed, LiveNamed []int
	LiveFrom             int         // first step in which the live run differs
	Tail                 string      // what goes on forever; "" when nothing is known
	Difference           string      // of the states of both runs after the step that matters
	Findings             []*Document // of a search that continued
}

// Fact is one labelled statement, with an aside.
type Fact struct{ Label, Text, Aside string }

// Style says how a terminal report looks. The zero value suits a log.
type Style struct {
	Terminal bool // a terminal shows it at once
	Color    bool // for a terminal: headline and marked step stand out
	Width    int  // columns; 0: 100
	Brief    bool // a search that found nothing takes five lines at most
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
	d.Violated, d.Facts, d.Sentence = violatedFacts(r), moreFacts(r), sentence(r)
	if r.Dead != nil {
		d.Dead = eventgraph.Build(r.Dead)
		d.DeadSteps = d.deadExcerpt()
	}
	d.compare()
	return d
}

// compare completes the document by what the runs show.
func (d *Document) compare() {
	r := d.Report
	c := r.Critical
	if c != nil {
		if d.Tail = tailText(c.Tail); c.OutOfEvents {
			d.Tail = stuckText(r)
		}
	}
	if r.Dead == nil || c == nil {
		d.setCode(nil)
		d.Compared = append(d.Compared, d.readFacts()...)
		if d.Dead != nil {
			d.DeadNamed = d.Dead.Read
		}
		d.Compared = append(d.Compared, sureFacts(r)...)
		return
	}
	var align []replay.Counterpart
	if r.Live != nil {
		d.Live = eventgraph.Build(r.Live)
		d.LiveFrom = c.LiveCommon + 1
		align = d.Dead.Align(d.Live, c.LiveCommon)
	}
	in := look(d.Dead, d.Live, align, r, c.LiveCommon)
	var counterpart *replay.TraceStep
	if in != nil && in.other > 0 {
		counterpart = &r.Live.Steps[in.other-1]
	}
	d.setCode(counterpart)
	d.Compared = append(d.Compared, in.facts(c.Node)...)
	if d.Live != nil {
		d.LiveSteps = d.liveExcerpt(in)
		from := c.LiveCommon + 1
		if d.Dead.Critical > from {
			from = d.Dead.Critical
		}
		var at int
		if d.Difference, at = difference(r.Dead, r.Live, align, from); at > 0 {
			d.DeadNamed, d.LiveNamed = append(d.DeadNamed, at), append(d.LiveNamed, align[at].Step)
		}
	}
	if d.Difference != "" {
		d.Compared = append(d.Compared, Fact{"difference:", d.Difference, "this run | nearest live run"})
	}
	d.Compared = append(append(d.Compared, laterFacts(r)...), sureFacts(r)...)
	if in != nil && in.onlyLive != "" {
		d.Facts = append(d.Facts, Fact{"live run only:", in.onlyLive, ""})
		d.LiveNamed = append(d.LiveNamed, in.onlySteps...)
	}
	for _, s := range lastStarts(r.Dead, c.Step) {
		if s != nil {
			d.DeadNamed = append(d.DeadNamed, s.Number)
		}
	}
}

// Single reports whether the document is about one finding.
func (d *Document) Single() bool {
	return d.Report.Verdict == search.Violation && d.Report.Findings == nil
}

// Summary returns the first screen as data. Nil means that nothing was found.
func (d *Document) Summary() *report.Summary {
	if !d.Single() {
		return nil
	}
	s := &report.Summary{Sentence: d.Sentence, Facts: []report.Labeled{}, Code: d.Code.Text()}
	if d.Code != nil {
		s.Source = d.Code.Place
	}
	for _, f := range slices.Concat(d.Violated, d.Compared) {
		s.Facts = append(s.Facts, report.Labeled{Label: strings.TrimSuffix(f.Label, ":"), Text: f.Text, Aside: f.Aside})
	}
	return s
}
