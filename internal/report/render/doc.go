// Package render writes documents as text, Markdown, JSON, JUnit XML, SARIF, lines for editors and a self-contained page. Each format is a
// function, listed in [Formats].
package render
