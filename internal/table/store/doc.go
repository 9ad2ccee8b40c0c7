// Package store interns the components of global states.
//
// A component is the local state of a node, the inbox of datagrams in flight to it, the connection of a pair of
// nodes, the state of a monitor, or the globals of the network (fault limits, the partition). [Tables] numbers each
// of these by its whole canonical encoding. Equal encodings have equal numbers, and different ones have different
// numbers. A global state is a vector of such numbers, and its fingerprint the sum of the hashes of its components.
// This is the idea of collapse compression (Holzmann, State Compression in SPIN, SPIN Workshop 1997).
//
// The result of an operation on a component is looked up by number. The first time, the network model executes the
// operation on that component alone (sim.Parted).
package store
