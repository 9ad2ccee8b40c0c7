// Package mdb is the headless core of the debugger. A [Session] executes commands on a run, and on the runs that it is compared with, and
// writes text. The screen, the line prompt, batch mode and tests share one table of commands. The screen is in the program and draws the
// content of a session.
//
// A run is a path. A session executes it once when it is opened. It stores for each step the data for lists, searches and the causal chain,
// and copies of some states (see [replay.Cursor.Keep]). Everything else is recomputed for the steps that are shown. A test's run under a
// schedule is a recorded trace ([Config.Trace]), with goroutines as nodes.
package mdb

// A [Session] holds runs of package history, the current run, step and node. A command is a row of one table (table.go)
// and a function that writes text. The screen uses the methods of [Debugger], which return data. The run that was
// opened never changes: a step that is tried extends a new run, a branch.
//
// The files of this package, for readers of its source:
//
//	session.go, debugger.go             Session: executes lines; Debugger, its interface for screens
//	table.go                            the table of commands, and its help
//	move.go, find.go, field.go          to another step: by number, cause, event, field or property
//	show.go, list.go, pending.go        a step, its state, and messages and timers; lists of steps
//	properties.go, monitors.go, why.go  properties, monitors; the chain of causes
//	compare.go, comparison.go           other runs: differences, and the run shown beside
//	try.go, option.go, walk.go          branches: what can happen next, random walks
//	view.go, graph.go, source.go        lines for screens; event graphs; source code
//	goroutines.go                       recorded runs of tests
//	criticaltransition.go               the critical step from a report
//	prompt.go                           sessions at a prompt, in a batch
