// Package render writes documents as text, Markdown and a self-contained page, and for other programs. Each format is a function in
// the file of its name, listed in [Formats].
//
// A format gets a document.Document, in which all sentences are already formulated. It decides only on the layout.
// Formats for other programs can hold the reports of several searches, see [CollectedFormats].
//
// # Files
//
//	formats.go           the tables of formats
//	results.go           what formats for other programs show
//	terminal.go          text for terminals and files
//	junit_properties.go  what JUnit XML has no elements for
package render
