// Package report defines the outcome of a search as data: findings, coverage, and the sum of several searches.
// Package document converts reports to text, and package render writes them in each format.
//
// Package check fills in a [Report] while it works. The JSON format of a report is this type, so its
// JSON tags are part of the output format. Nothing here executes a system.
//
// # Files
//
//	report.go    Report; the settings that define a search; commands to run next; the first screen
//	finding.go   the decisive step of a finding; whether two findings are alike; suspects; the run before it was minimized
//	critical.go  the critical step, and the nearest live run
//	coverage.go  what was explored, and what was not checked; abstractions compared with their implementations
//	known.go     accepted findings: which were found again
//	merge.go     shards of a search, and their sum
package report
