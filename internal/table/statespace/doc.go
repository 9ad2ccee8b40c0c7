// Package statespace lists the states and steps of a system as a graph.Graph.
//
// A packed vector has one number for the local state and inbox of each node. A step is cached as a transition, by
// that number and the parts that exist once. It holds the node's next number, the change of the fingerprint, and
// operations on other nodes, connections and monitors. Each operation is looked up. A step costs a few additions and
// one look-up for each operation.
//
// In breadth-first order, edges to states that must already be known are not listed: sleep sets (Godefroid,
// Partial-Order Methods for the Verification of Concurrent Systems, LNCS 1032, 1996, chapter 5). Numbers of states
// and shortest paths stay the same.
package statespace
