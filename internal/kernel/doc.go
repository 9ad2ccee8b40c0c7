// Package kernel executes systems, one step after the other. It is what searches, replay, the debugger and live nodes are built on;
// who writes services does not need it.
//
// A [World] is a system in some state, by [NewWorld]. A [bench.Bench] executes parts of steps outside of any run, for the table engine
// (package internal/table), and a [runner.Runner] nodes whose network is elsewhere. All three are one [Machine], so that there is one semantics.
// The packages below have what needs no machine: descriptions of steps, the containment of checked code, properties, what systems declare.
package kernel
