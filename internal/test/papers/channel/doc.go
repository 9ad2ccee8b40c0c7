// Package channel is a reliable channel over lossy calls, as machines (package machine), and its abstraction.
//
// # Protocol
//
// The sender numbers values and repeats the call with a value until one reports success. Meanwhile it defers other
// values. A call may be lost, and one that reports a loss may have arrived. The receiver drops duplicates, and
// passes other values on to its client.
//
// # Source
//
// The network layer of "Building Reliable Distributed Systems With P" (UCB/EECS-2015-198), listings 2 and 4 to 8.
// NL1 is listing 4 as printed there; the safety monitor of the paper cannot detect it.
//
// # Simplifications
//
// There are one sender and one receiver. A value has a bounded number of calls; further calls are lost, which makes
// the state space finite.
//
// # Properties
//
// Monitor: values are delivered in sending order (safety), and each is (hot until then). Eventually: all values are
// delivered. With part=abstraction sender and receiver are those of listing 7, which lose and repeat nothing;
// "macemc refine channel" compares both.
package channel
