// Package statespace lists the states and steps of a system as a graph.Graph.
//
// A packed vector has one number for the local state and inbox of each node. A step is cached as a transition, by
// that number and the parts that exist once. It holds the node's next number, the change of the fingerprint, and
// operations on other nodes, connections and monitors. Each operation is looked up. A step costs a few additions and
// one look-up for each operation.
//
// Package explore calls [Graph.Expand] for each new state, and [Graph.Check] for each state that it found. A missing
// transition is computed by taking its step once in a bare world.World, in a state in which it is enabled. Steps that
// fail are executed in the world each time. Edges have the order of World.Injections, and [Graph.Take] finds the event
// and the answers of an edge.
//
// In breadth-first order, edges to states that must already be known are not listed: sleep sets (Godefroid,
// Partial-Order Methods for the Verification of Concurrent Systems, LNCS 1032, 1996, chapter 5). Numbers of states
// and shortest paths stay the same.
//
// # Files
//
//	graph.go        Graph: initial states, verdicts on a state, paths from edge indices
//	expand.go       the edges of a state
//	nodespans.go    which transitions a state has, in which order; whether it is quiet
//	nodeconfigs.go  numbers of node configurations and global parts; packs vectors
//	populate.go     computes missing transitions
//	operations.go   what a transition does outside of its node
//	arrivals.go     what a datagram makes of its receiver's node configuration
//	sleepsets.go    which edges are not listed, because independent steps were taken in another order
//	commuting.go    the same for two datagrams to one node
//	onward.go       explores from the end of a path, for recovery only
//	verify.go       executes the steps of sampled states again
//	reader.go       finds edges without changing tables, for parallel workers
//	growth.go       which lists, maps and queues grew most
package statespace
