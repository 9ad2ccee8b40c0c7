// Package kernel executes systems one step at a time. Searches, replay, the debugger and live nodes are built on it.
// Authors of services do not need it.
//
// A [World] is a system in some state, by [NewWorld]. A [bench.Bench] executes parts of steps outside of any run, for
// the table engine (package internal/table). A [runner.Runner] runs nodes with an external network. All three use one
// [Machine], so that there is one semantics. The packages below need no machine: descriptions of steps, containment of
// checked code, properties, declarations of systems.
package kernel
