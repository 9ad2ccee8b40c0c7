package report

import (
	"io"

	"github.com/macemc/macemc/internal/format"
	"github.com/macemc/macemc/sim"
)

// Document is a report, with the properties of its system and how its text is laid out.
type Document struct {
	Report     *Report
	Properties []sim.Property
	Style      Style // of text
}

// Formats returns the formats that one report can be written in.
func Formats() format.Table[Document] {
	t := append(FolderFormats(), format.Format[Document]{Name: "text", Ext: ".txt", Doc: "for a terminal",
		Render: func(w io.Writer, d Document) error { return Terminal(w, d.Report, d.Style) }})
	for _, c := range CollectedFormats() {
		t = append(t, c.Format)
	}
	return t
}

// FolderFormats returns the formats of the files in a finding's folder.
func FolderFormats() format.Table[Document] {
	of := func(write func(io.Writer, *Report) error) func(io.Writer, Document) error {
		return func(w io.Writer, d Document) error { return write(w, d.Report) }
	}
	return format.Table[Document]{
		{Name: "html", Ext: ".html", Doc: "an interactive page with both runs", Render: of(HTML)},
		{Name: "markdown", Ext: ".md", Doc: "with sequence diagrams", Render: of(Markdown)},
		{Name: "json", Ext: ".json", Doc: "everything but the runs", Render: of(JSON)},
	}
}

// Collected is a format for other programs. One document holds the reports of several searches. A search has a flag of the
// format's name.
type Collected struct {
	format.Format[Document]
	// Mark is in the first lines of all documents that are not empty.
	Mark  string
	Merge func(io.Writer, []Output) error
}

// Output is what one of several searches wrote in a [Collected] format.
type Output struct {
	Name    string // of the system
	Text    []byte // nil means nothing, because of Problem
	Problem string
}

// CollectedFormats returns the formats for other programs.
func CollectedFormats() []Collected {
	return []Collected{
		{format.Format[Document]{Name: "junit", Ext: ".xml", Doc: "JUnit XML", Render: JUnit}, junitMark, MergeJUnit},
		{format.Format[Document]{Name: "sarif", Ext: ".sarif", Doc: "SARIF, for code scanning", Render: SARIF}, sarifMark, MergeSARIF},
		{format.Format[Document]{Name: "lines", Ext: ".lines", Doc: "lines file:line: message", Render: Lines}, linesMark, MergeLines},
	}
}

// CollectedFormat returns the format of that name.
func CollectedFormat(name string) (c Collected, ok bool) {
	for _, c := range CollectedFormats() {
		if c.Name == name {
			return c, true
		}
	}
	return c, false
}
