package render

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/textfmt"
)

// junitMark is in the first lines of every [JUnit] document.
const junitMark = `<testsuites name="macemc"`

type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Skipped  int          `xml:"skipped,attr"`
		Time     string       `xml:"time,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string      `xml:"name,attr"`
		Tests      int         `xml:"tests,attr"`
		Failures   int         `xml:"failures,attr"`
		Errors     int         `xml:"errors,attr"`
		Skipped    int         `xml:"skipped,attr"`
		Time       string      `xml:"time,attr"`
		Properties []Property  `xml:"properties>property"`
		Cases      []junitCase `xml:"testcase"`
		Out        junitText   `xml:"system-out"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Time    string        `xml:"time,attr"`
		Failure *junitProblem `xml:"failure"`
		Error   *junitProblem `xml:"error"`
		Skipped *junitProblem `xml:"skipped"`
		Out     *junitText    `xml:"system-out"`
	}
	junitText struct {
		Text string `xml:",cdata"`
	}
	junitProblem struct {
		Type    string `xml:"type,attr,omitempty"`
		Message string `xml:"message,attr"`
		Text    string `xml:",cdata"`
	}
)

// JUnit writes the report as JUnit XML: one test suite for the system with its test cases, see [document.Document.Cases].
func JUnit(w io.Writer, d *document.Document) error {
	s, err := suite(d)
	if err != nil {
		return err
	}
	return resultsJUnit(w, Results{Suites: []Suite{s}})
}

func resultsJUnit(w io.Writer, r Results) error {
	var suites []junitSuite
	seconds := 0.0
	for i := range r.Suites {
		suites = append(suites, junit(&r.Suites[i]))
		seconds += r.Suites[i].Seconds
	}
	return writeJUnit(w, suites, seconds)
}

func junit(of *Suite) junitSuite {
	s := junitSuite{Name: of.Name, Tests: len(of.Cases), Time: junitTime(of.Seconds), Properties: of.Properties, Out: junitText{of.Text}}
	for _, c := range of.Cases {
		one := junitCase{Class: of.Class, Name: c.Name, Time: junitTime(c.Seconds)}
		problem := &junitProblem{Type: c.Type, Message: c.Message, Text: c.Text}
		switch {
		case c.Result == document.Failed:
			one.Failure = problem
			s.Failures++
		case c.Result == document.Errored:
			one.Error = problem
			s.Errors++
		case c.Result == document.Skipped:
			one.Skipped = problem
			s.Skipped++
		case c.Text != "":
			one.Out = &junitText{c.Text}
		}
		s.Cases = append(s.Cases, one)
	}
	return s
}

// plainText returns a document as text without colors.
func plainText(d *document.Document) (string, error) {
	plain := *d
	plain.Style = document.Style{}
	var text strings.Builder
	err := Terminal(&text, &plain)
	return text.String(), err
}

// MergeJUnit writes one document with the test suites of several searches, named after their parts. A search without
// output is an error.
func MergeJUnit(w io.Writer, parts []Output) error {
	var suites []junitSuite
	total := 0.0
	for _, p := range parts {
		if p.Text == nil {
			suites = append(suites, junitSuite{Name: p.Name, Tests: 1, Errors: 1, Time: junitTime(0), Cases: []junitCase{{
				Class: "macemc." + p.Name, Name: "the search ends with a report", Time: junitTime(0),
				Error: &junitProblem{Type: "error", Message: p.Problem},
			}}})
			continue
		}
		var d junitSuites
		if err := xml.Unmarshal(p.Text, &d); err != nil {
			return fmt.Errorf("JUnit XML of %s: %w", p.Name, err)
		}
		for _, s := range d.Suites {
			s.Name = p.Name
			for i := range s.Cases {
				s.Cases[i].Class = "macemc." + p.Name
			}
			suites = append(suites, s)
		}
		seconds, err := strconv.ParseFloat(d.Time, 64)
		if err != nil {
			return fmt.Errorf("JUnit XML of %s: %w", p.Name, err)
		}
		total += seconds
	}
	return writeJUnit(w, suites, total)
}

func writeJUnit(w io.Writer, suites []junitSuite, seconds float64) error {
	all := junitSuites{Name: "macemc", Time: junitTime(seconds), Suites: suites}
	for _, s := range suites {
		all.Tests, all.Failures, all.Errors, all.Skipped = all.Tests+s.Tests, all.Failures+s.Failures, all.Errors+s.Errors, all.Skipped+s.Skipped
	}
	w = textfmt.Printer(w)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func junitTime(s float64) string { return fmt.Sprintf("%.3f", s) }
