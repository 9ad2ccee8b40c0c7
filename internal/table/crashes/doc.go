// Package crashes proves for nodes that their crashes cannot matter, so that they need not be explored.
//
// With the crash model explicit, every crash is explored. With implicit, no node crashes. With auto, the nodes crash that
// an earlier round has found to be sensitive (crashes.go: Select). At the end of a round, Sensitive (simulation.go) decides
// for each other node, by the simulation below. If the exploration is complete and no such node is sensitive, the result is proven
// (concludeCrashes of package table). Else implicit is inconclusive, with the reason "crashes", and auto begins a round
// in which these nodes crash. Where nothing can be left out (crashes.go: whyExplicit: a stored
// search, a bound on depth, known violations, liveness, queues, systems without reduction), implicit refuses the search and auto explores
// every crash.
//
// A node is crash-insensitive when whatever it does after a crash it could do without the crash as well,
// with at least the same messages. That is a simulation relation between local states (Milner, An Algebraic
// Definition of Simulation between Programs, 1971), computed as a greatest fixed point over the known steps.
package crashes
