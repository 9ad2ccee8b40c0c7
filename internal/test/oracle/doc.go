// Package oracle determines the exact behavior of small systems independently of the engines. Systems are data, a
// [Script], which the oracle interprets by rules written again from the documentation of packages sim and netsim.
// It stores whole states in a map, visits them from a list, and follows recovery backwards over stored transitions.
// It shares no code with the engines, the tables or the search. The same data makes a [sim.System]. [Compare] runs
// every strategy and engine on it and reports differences from the oracle.
//
// [Drawn] makes a Script, visitAll its graph, and [Script.System] the system that the engines get. A rule is stated here
// in the simplest form, without caches. A difference is a bug of one side; the documentation decides which.
//
// # Files
//
//	script.go              Script: a system as data
//	draw.go                Drawn: the system of a number
//	system.go, service.go  the same script as a sim.System and its services
//	state.go, clock.go     a whole state, and its encoding; what a node knows about times
//	events.go              enabled events and faults, in order, and their keys
//	step.go                what a step does: crashes inside it, effects, monitors
//	handle.go              the program of a handler
//	network.go, queue.go   datagrams and streams; queues
//	quorum.go              sets of messages that a node takes
//	graph.go               all states, findings, dead states
//	compare.go, follow.go  compares searches and their runs with the oracle
//	defects.go             defects of the oracle that a comparison must notice
//	reduce.go              a smaller script that still differs
//	soak.go                series of systems, and their sums
package oracle
