// Package pingack is the smallest system with a liveness bug: a node pings another over a network
// that may lose datagrams, and repeats the ping until it is acknowledged. It is the first system to
// try, and the example that the documentation walks through.
//
// # Protocol
//
// Node 0 sends numbered pings, each one after the last was acknowledged, and resends the last one by a timer. Node 1
// acknowledges pings. It does not acknowledge a ping that it has seen before, so one lost acknowledgement leaves node 0
// waiting forever: this is the bug, which is always present.
//
// # Source
//
// None: it is an invented example. Nothing is simplified, and nothing was added.
//
// # Properties
//
// In some state that stays reachable:
//
//   - every ping is acknowledged.
package pingack
