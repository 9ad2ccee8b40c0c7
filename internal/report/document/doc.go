// Package document converts reports to text. A [Document] contains the parts that renderers print: title, facts,
// lines of coverage, excerpts of runs and test cases.
//
// # Files
//
//	document.go, words.go               the document; its style, words and assumption about time
//	sentence.go, facts.go               the first screen
//	recovery.go, causes.go, code.go     the critical step, what led to it, its source
//	later.go, pauses.go, repeated.go    likelier places of the defect, and pauses before it
//	comparison.go                       the critical step beside the nearest live run
//	excerpt.go                          the steps that are shown
//	shrunk.go                           sizes of runs
//	findings.go, cases.go               several findings, suspects, accepted ones; cases for JUnit, and sampled ones
//	coverage.go, nofinding.go,          the coverage of a search
//	reduced.go, fairness.go, engine.go,
//	effort.go
//	assumption.go                       assumptions of abstractions
//	shards.go                           divided searches
//	position.go                         places for editors; stacks
package document
