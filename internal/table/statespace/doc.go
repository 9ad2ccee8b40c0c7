// Package statespace lists the states and steps of a system as an explore.Graph.
//
// A packed vector has one number for what belongs to a node alone, its local state and inbox. A step is kept
// as a transition by that number and by what exists once. It holds the node's next number, the change of the
// fingerprint, and operations on other nodes, connections and monitors, each of which is looked up. To take
// a step is some additions and one look-up for each operation.
//
// In breadth-first order, edges to states that must be known already are not listed: sleep sets (Godefroid,
// Partial-Order Methods for the Verification of Concurrent Systems, LNCS 1032, 1996, chapter 5). Numbers of
// states and shortest paths stay the same.
package statespace
