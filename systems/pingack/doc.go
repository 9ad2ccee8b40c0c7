// Package pingack is the smallest system with a liveness bug: a node pings another over a network
// that may lose datagrams, and repeats the ping until it is acknowledged. It is the first system to
// try, and the example that the documentation walks through.
//
// # Protocol
//
// Node 0 sends numbered pings, the next one when the last was acknowledged, and by a timer sends the
// last one again. Node 1 acknowledges. It does not acknowledge a ping that it has seen before, so one
// lost acknowledgement leaves node 0 waiting for ever: that is the bug, which is always there.
//
// # Source
//
// None: it was made up as an example. Nothing is simplified, and nothing had to be added.
//
// # Properties
//
// In some state that stays reachable:
//
//   - every ping is acknowledged.
package pingack
