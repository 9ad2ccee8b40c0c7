// Package pingack is the smallest system with a liveness bug: a node pings another over a network
// that may lose datagrams, and repeats the ping until it is acknowledged. The other node does not
// acknowledge a ping that it has seen before, so one lost acknowledgement leaves the first waiting
// for ever. It is the first system to try, and the example that the documentation walks through.
package pingack
