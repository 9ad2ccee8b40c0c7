// Package history stores the runs of a debugging session: what each step of a run did, its cause, and the state after
// it.
//
// A [Run] is a path of a system, or a recorded trace of a test. Package mdb shows runs and makes branches of them. A
// Run stores a [Step] for each step, with its key, its cause and the properties that failed. States of a system are not
// stored: a Cursor of package replay moves to the step and computes them, and traces are computed for windows of steps.
// A test cannot be executed again here, so a recorded run has states only as changes of fields.
//
// # Files
//
//	run.go        Run, Step; findings; names of nodes; what the two kinds of runs do differently
//	executed.go   paths of systems: states, traces, branches
//	recorded.go   recorded runs of tests
//	goroutine.go  the state of a goroutine
//	state.go      the state of a node, with the changes of a step
//	causes.go     the cause of a step; what violates a property
//	find.go       the nearest step that matches; which steps of two runs correspond
//	pending.go    messages in flight
//	graph.go      the event graph of a part of a run
package history
