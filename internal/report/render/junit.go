package render

import (
	"encoding/xml"
	"fmt"
	"io"
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
	return resultsJUnit(w, []Results{{Suites: []Suite{s}}})
}

func resultsJUnit(w io.Writer, list []Results) error {
	all := junitSuites{Name: "macemc"}
	seconds := 0.0
	for i := range list {
		for k := range list[i].Suites {
			s := junit(&list[i].Suites[k])
			seconds += list[i].Suites[k].Seconds
			all.Suites = append(all.Suites, s)
			all.Tests, all.Failures, all.Errors, all.Skipped = all.Tests+s.Tests, all.Failures+s.Failures, all.Errors+s.Errors, all.Skipped+s.Skipped
		}
	}
	all.Time = junitTime(seconds)
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

func junitTime(s float64) string { return fmt.Sprintf("%.3f", s) }
