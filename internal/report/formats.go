package report

import (
	"io"

	"github.com/macemc/macemc/internal/format"
)

// Document is a report and how its text is laid out.
type Document struct {
	Report *Report
	Style  Style // of text
}

// TextFormat names the format for terminals. The others are files of a finding's folder.
const TextFormat = "text"

// Formats returns the formats that a report can be written in. [JUnit] is none: it needs the properties of the system.
func Formats() format.Table[Document] {
	of := func(write func(io.Writer, *Report) error) func(io.Writer, Document) error {
		return func(w io.Writer, d Document) error { return write(w, d.Report) }
	}
	return format.Table[Document]{
		{Name: "html", Ext: ".html", Doc: "an interactive page with both runs", Render: of(HTML)},
		{Name: "markdown", Ext: ".md", Doc: "with sequence diagrams", Render: of(Markdown)},
		{Name: "json", Ext: ".json", Doc: "everything but the runs", Render: of(JSON)},
		{Name: TextFormat, Ext: ".txt", Doc: "for a terminal", Render: func(w io.Writer, d Document) error { return Terminal(w, d.Report, d.Style) }},
	}
}
