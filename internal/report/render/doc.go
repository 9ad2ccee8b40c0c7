// Package render writes documents as text, Markdown, JSON, JUnit XML, SARIF, lines for editors, GitHub Actions annotations
// and a self-contained page. Each format is a function, listed in [Formats].
//
// A format gets a document.Document, in which all sentences are already formulated. It decides only on the layout.
// Formats for other programs can hold the reports of several searches, see [CollectedFormats].
//
// # Files
//
//	formats.go                     the tables of formats
//	results.go                     what formats for other programs show
//	terminal.go                    text for terminals and files
//	markdown.go                    Markdown with diagrams
//	html.go                        the page about a finding of a search, or of a test
//	json.go                        the JSON object
//	junit.go, junit_properties.go  test suites of JUnit XML
//	sarif.go                       SARIF, for code scanning
//	lines.go                       file:line: message, for editors
//	github.go                      workflow commands, for GitHub Actions
package render
