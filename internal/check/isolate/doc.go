// Package isolate executes checked code in separate processes: a search under a [Supervisor], and a run that may end
// its process in a fresh one. [CurrentRole] returns the role of a process.
//
// A leaked goroutine is one that a handler started and that still runs after its step. It may end the process in any
// later step.
//
// # Files
//
//	role.go                               the roles of a process: first process, search, execution of one
//	                                      run
//	supervise.go                          the first process: starts the search and waits
//	investigation.go                      the first process: executes what a dead search left
//	overrun.go                            how long a search may take after a stop request
//	examine.go                            the process that asks (the search for its suspects, the first one after
//	                                      a death): watches the process that executes a run (await)
//	request.go                            the run that it asks for, and how often (executionRequest, Fresh)
//	autopsy.go                            where and why that process ended
//	reexecute.go                          the fresh process: executes that run
//	execution.go                          both: records states while executing, so that two executions can
//	                                      be compared
//	death.go, description.go              what is reported of a run that ended its process
//	stuck.go                              stacks of a process that does not return
//	notes.go                              what the search process leaves for its supervisor
//	heap.go                               how often garbage is collected
//	process_linux.go                      limits of memory; the parent's death
package isolate
