// Package history stores the runs of a debugging session: what each step of a run did, its cause, and the state after
// it.
//
// A [Run] is a path of a system, or a recorded trace of a test. Package mdb shows runs and makes branches of them. A
// Run stores a [Step] for each step, with its key, its cause and the properties that failed. States are not stored: a
// Cursor of package replay moves to the step and computes them, and traces are computed for windows of steps. A test
// cannot be executed again here, so a recorded run has states only as changes of fields.
//
// # Files
//
//	run.go         Run, Step; findings; branches; the common prefix of two runs
//	state.go       which fields a step changed
//	causes.go      the cause of a step; what violates a property
//	find.go        the nearest step that matches
//	pending.go     messages in flight; when a timer was set
//	difference.go  which steps of two runs correspond; the differences of two states
//	graph.go       the event graph of a range of steps
//	goroutines.go  recorded runs: the states of goroutines
package history
