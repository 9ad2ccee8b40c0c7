package render

import (
	"cmp"
	"fmt"

	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/search"
)

// Results are the results of a search, or of explored tests, as [Collected] formats show them.
type Results struct {
	Suites []Suite
	Annotations
}

// ResultsOf returns the results of a search.
func ResultsOf(d *document.Document) (Results, error) {
	s, err := suite(d)
	return Results{[]Suite{s}, annotations(d)}, err
}

// Missing returns the results of one of several searches that has none.
func Missing(name, problem string) Results {
	none := document.Case{Name: "the search ends with a report", Result: document.Errored, Type: "error", Message: problem}
	r := Results{[]Suite{{Cases: []document.Case{none}}}, Annotations{Problems: []string{name + ": " + problem}}}
	r.SetName(name)
	return r
}

// SetName names the test suites after one of several searches.
func (r *Results) SetName(name string) {
	for i := range r.Suites {
		r.Suites[i].Name, r.Suites[i].Class = name, "macemc."+name
	}
}

// Suite is a test suite: a system, or a package with tests.
type Suite struct {
	Name       string
	Class      string // of its test cases
	Seconds    float64
	Properties []Property // settings and coverage
	Cases      []document.Case
	Text       string // output of the suite
}

// Property is a named value of a test suite.
type Property struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

// Annotations are findings at their source lines, and the coverage.
type Annotations struct {
	Program  string // version of macemc; empty means unknown
	Folder   string // paths are relative to its repository; empty means the working directory
	Verdict  search.Verdict
	Findings []Annotation
	Title    string   // verdict and coverage
	Titled   bool     // SARIF has Title although there are findings
	Notes    []string // accepted findings, and what was not covered
	Problems []string // failures without a finding
}

// Annotation is a finding at its source lines.
type Annotation struct {
	Rule      string // kind of finding
	Title     string // name of what is violated
	Headline  string // one line
	Text      string // lines of text
	Positions []document.Position
	Look      string // command that opens the run in the debugger
	Replay    string // command that executes it
	Accepted  string // reason for which the finding is accepted; empty means that it is not
}

// annotations returns the annotations of a search.
func annotations(d *document.Document) Annotations {
	r := d.Report
	a := Annotations{Program: r.Program, Verdict: r.Verdict, Title: d.Title, Titled: r.Findings != nil, Notes: document.KnownLines(r)}
	found := d.Findings
	if r.Findings == nil && r.Kind != "" {
		found = []*document.Document{d}
	}
	for _, f := range found {
		a.Findings = append(a.Findings, annotation(f.Report, f.Title+"\n"+f.Sentence))
	}
	for i := range r.Known {
		if k := &r.Known[i]; k.Status == report.Recurs && k.Of != nil {
			f := annotation(k.Of, "")
			f.Accepted = k.Reason + " (" + k.File + ")"
			a.Findings = append(a.Findings, f)
		}
	}
	return a
}

func annotation(r *report.Report, text string) Annotation {
	return Annotation{Rule: document.KindName(r.Kind), Title: cmp.Or(r.Property, document.KindName(r.Kind)), Headline: document.Headline(r),
		Text: text, Positions: document.Positions(r), Look: r.Commands.Look, Replay: r.Commands.Replay}
}

// found returns the findings that are not accepted.
func (a *Annotations) found() (list []Annotation) {
	for _, f := range a.Findings {
		if f.Accepted == "" {
			list = append(list, f)
		}
	}
	return list
}

// suite returns the test suite of a search. The text of a failure is the terminal report.
func suite(d *document.Document) (s Suite, err error) {
	r := d.Report
	s = Suite{Name: document.SystemName(r), Class: "macemc." + r.System, Seconds: r.Seconds, Properties: junitProperties(r)}
	if s.Text, err = plainText(d); err != nil {
		return s, err
	}
	for _, c := range d.Cases() {
		if c.Of != nil {
			if c.Text, err = plainText(c.Of); err != nil {
				return s, err
			}
		}
		s.Cases = append(s.Cases, c)
	}
	return s, nil
}

// headline returns the line of a finding with what happens at its first position.
func (a *Annotation) headline() string {
	text := a.Headline
	if len(a.Positions) > 0 {
		text += fmt.Sprintf(" (%s)", textfmt.Printable(a.Positions[0].Text))
	}
	if a.Look != "" {
		text += "; " + textfmt.Printable(a.Look)
	}
	return text
}
