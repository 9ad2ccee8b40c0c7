// Package task executes the tasks of a command line on a system. Bundled systems are executed in the program, and
// systems defined by tests in the test binary of their package. A task is a value that can be sent there as JSON. The
// package does not depend on command lines and terminals. Only the program has a [Screen], which shows the debugger; a
// test binary calls it over a pipe.
//
// # Files
//
//	task.go, main.go                      a task, its process, and its end by signals
//	order.go, front.go                    messages between the program and test binaries
//	subject.go                            the system and its limits, as flags
//	search.go, search_run.go,             searches; those that continue a run of a file
//	search_from.go, collected.go
//	durable*.go, merge.go, cluster.go     stored, divided and distributed searches
//	replay.go, shrink.go, critical.go,    work on the run of a file or of recordings
//	debug.go, graph.go, report.go
//	observe.go, refine.go                 monitors, abstractions
//	progress.go, stdout_*.go              progress lines; output of checked code
package task
