// Package kernel executes systems, one step after the other. It is what searches, replay, the debugger and live nodes are built on;
// who writes services does not need it.
//
// A [World] is a system in some state, by [NewWorld]. A [Bench] executes parts of steps outside of any run, for the table engine
// (package internal/table), and a [Runner] nodes whose network is elsewhere. All three are one machine, so that there is one semantics.
package kernel
