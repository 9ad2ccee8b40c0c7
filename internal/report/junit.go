package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/macemc/macemc/internal/textfmt"
)

// junitMark is in the first lines of all that [JUnit] writes.
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
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Skipped    int             `xml:"skipped,attr"`
		Time       string          `xml:"time,attr"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
		Out        junitText       `xml:"system-out"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
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

// JUnit writes the report as JUnit XML: one test suite for the system, with a test case for each of its
// properties and for each other kind of finding. What was violated fails, with the report for people as
// its text. A search ends with the first violation unless it is told to go on, so the other cases are skipped then, as are Sometimes
// properties that were never seen, and what the search did not check. A search that is inconclusive, ran out of a resource or was
// interrupted, is an error of its own, and can tell nothing of the other cases.
func JUnit(w io.Writer, d Document) error {
	r, properties := d.Report, d.Properties
	var text strings.Builder
	if err := Terminal(&text, r, Style{}); err != nil {
		return err
	}
	cases, err := junitCasesOf(r, properties, textfmt.Printable(text.String()))
	if err != nil {
		return err
	}
	s := junitSuite{Name: r.name(), Time: junitTime(r.Seconds), Tests: len(cases), Properties: junitProperties(r), Cases: cases,
		Out: junitText{textfmt.Printable(text.String())}}
	for i := range cases {
		switch c := &cases[i]; {
		case c.Failure != nil:
			s.Failures++
		case c.Error != nil:
			s.Errors++
		case c.Skipped != nil:
			s.Skipped++
		}
	}
	return writeJUnit(w, []junitSuite{s}, r.Seconds)
}

// MergeJUnit writes one document with the test suites of several searches, which take the names of their parts. A search that wrote nothing is an error.
func MergeJUnit(w io.Writer, parts []Output) error {
	var suites []junitSuite
	total := 0.0
	for _, p := range parts {
		if p.Text == nil {
			suites = append(suites, junitSuite{Name: p.Name, Tests: 1, Errors: 1, Time: junitTime(0), Cases: []junitCase{{
				Class: "macemc." + p.Name, Name: "the search ends with a report", Time: junitTime(0),
				Error: &junitProblem{Type: "error", Message: textfmt.Printable(p.Problem)},
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
