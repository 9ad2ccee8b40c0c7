// Package replay executes paths step by step. It is the only caller of [kernel.World.Step]: search, critical
// transition, debugger and reports all use a [Run].
//
// # Files
//
//	run.go, save.go, checkpoints.go        a run in progress; stored states of it
//	file.go, follower.go, align.go         path files: writing, following, matching their steps
//	cursor.go                              moves through a run in both directions
//	trace.go, record.go, progress.go       the description of a whole run
//	describe.go, handled.go, places.go     a step: its effects, the place of its handler
//	evaluate.go                            all properties in a state
//	sentence.go, decision.go, words.go,    the same as text
//	text.go, brief.go
package replay
