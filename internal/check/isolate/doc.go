// Package isolate executes checked code in separate processes: a search under a [Supervisor], and a run that may end
// its process in a fresh one. [CurrentRole] returns the role of a process.
package isolate
