package document

import (
	"slices"
	"strings"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Document is a report in a form for renderers.
type Document struct {
	Report     *report.Report
	Properties []sim.Property // of the system
	Style      Style          // of text

	Title    string // "pingack: LIVENESS VIOLATION"
	Sentence string // the violation and the step that causes it; empty without a finding
	// Violated, Code and Compared are the first screen, see Summary. Violated describes the violation and the step that
	// causes it. Code is the source around that step's handler. Compared describes the effect of the step, the
	// counterpart in the nearest live run, and the certainty. Facts are the rest, for later screens.
	Violated []Fact
	Code     *Code
	Compared []Fact
	// Causes are the sources of handlers of steps that led to the violation, the first one worth showing first. MoreCauses counts others.
	Causes     []*Code
	MoreCauses int
	Facts      []Fact
	Coverage   []string // of a search that found nothing, or continued
	// Dead is the violating run. Nil means that it was not traced. Live is the nearest live run; nil means unknown.
	Dead, Live *eventgraph.Graph
	// DeadSteps and LiveSteps are the excerpts worth showing.
	DeadSteps, LiveSteps []int
	// DeadNamed and LiveNamed are further steps that the text names. Excerpts show the former.
	DeadNamed, LiveNamed []int
	// DeadFolds and LiveFolds are the ticks of the runs that renderers show as one line.
	DeadFolds, LiveFolds []eventgraph.Fold
	LiveFrom             int         // first step in which the live run differs
	Tail                 string      // the events at the end, see TailLabel; empty means unknown
	Difference           string      // of the states of both runs after the critical step
	Findings             []*Document // of a search that continued
}

// Fact is a labeled statement with an aside.
type Fact struct{ Label, Text, Aside string }

// Style sets the appearance of a terminal report. The zero value suits a log.
type Style struct {
	Terminal bool // the output is a terminal
	Color    bool // for a terminal: highlights the headline and the marked step
	Width    int  // columns; 0 means 100
	Brief    bool // a report without a finding has at most five lines
	Short    bool // a finding has at most 40 lines of 80 columns
	Expand   bool // shows each step of folded ticks
}

// New returns the document of a report. properties are those of the system, which test cases need.
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
		facts, named := pauseFacts(d.Dead, MarkedStep(r, d.Dead.Last()))
		d.Violated, d.DeadNamed = append(d.Violated, facts...), named
		d.DeadSteps = d.deadExcerpt()
	}
	d.setCauses(d.compare())
	d.fold()
	return d
}

// Single reports whether the document is about one finding.
func (d *Document) Single() bool {
	return d.Report.Verdict == search.Violation && d.Report.Findings == nil
}

// Summary returns the first screen as data, or nil unless the report has a single finding.
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
	for _, c := range d.Causes {
		s.Causes = append(s.Causes, report.Source{Source: c.Place, Note: c.Note, Code: c.Text()})
	}
	return s
}
