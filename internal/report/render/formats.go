package render

import (
	"io"

	"github.com/macemc/macemc/internal/format"
	"github.com/macemc/macemc/internal/report/document"
)

// Formats returns the formats of a single report. A new format is an entry of one of the tables in this file and a function in a file of
// its own: beside "text", or of FolderFormats, which add a file to the folder of each finding, or of CollectedFormats, which add a flag to
// searches. Ext is unique, Doc has at most 27 letters, and Mark is within the first 1,024 bytes. The golden text belongs to TestGolden, the
// description to docs/reports.md.
func Formats() format.Table[*document.Document] {
	t := append(FolderFormats(), format.Format[*document.Document]{Name: "text", Ext: ".txt", Doc: "for a terminal", Render: Terminal})
	for _, c := range CollectedFormats() {
		t = append(t, c.Format)
	}
	return t
}

// FolderFormats returns the formats of the files in a finding's folder.
func FolderFormats() format.Table[*document.Document] {
	return format.Table[*document.Document]{
		{Name: "html", Ext: ".html", Doc: "an interactive page with both runs", Render: HTML},
		{Name: "markdown", Ext: ".md", Doc: "with sequence diagrams", Render: Markdown},
		{Name: "json", Ext: ".json", Doc: "everything but the runs", Render: JSON},
	}
}

// Collected is a format for other programs. One document holds the results of several searches. Searches have a flag
// with the format's name.
type Collected struct {
	format.Format[*document.Document]
	// Mark is in the first lines of all documents that are not empty.
	Mark    string
	Results func(io.Writer, []Results) error
}

// CollectedFormats returns the formats for other programs.
func CollectedFormats() []Collected {
	return []Collected{
		{format.Format[*document.Document]{Name: "junit", Ext: ".xml", Doc: "JUnit XML", Render: JUnit},
			junitMark, resultsJUnit},
		{format.Format[*document.Document]{Name: "sarif", Ext: ".sarif", Doc: "SARIF for code scanning", Render: SARIF},
			sarifMark, resultsSARIF},
		{format.Format[*document.Document]{Name: "lines", Ext: ".lines", Doc: "lines file:line: message", Render: Lines},
			linesMark, resultsLines},
		{format.Format[*document.Document]{Name: "github", Ext: ".github", Doc: "GitHub Actions annotations", Render: GitHub},
			gitHubMark, resultsGitHub},
	}
}
