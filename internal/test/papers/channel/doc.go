// Package channel is a reliable channel over calls that may be lost, as machines (package machine), and its abstraction.
//
// # Protocol
//
// The sender numbers values and repeats the call that carries one until a call says that it went well; meanwhile it defers
// others. A call may be lost, and may arrive and say all the same that it was lost. The receiver drops what it has
// seen, and passes the rest on to its client.
//
// # Source
//
// The network layer of "Building Reliable Distributed Systems With P" (UCB/EECS-2015-198), listings 2 and 4 to 8. NL1 is
// how listing 4 is printed there: the safety monitor of the paper cannot see it.
//
// # Simplifications
//
// One sender and one receiver. A value is carried by a bounded number of calls; what calls after that carry is lost, so that the channel has an end of
// states.
//
// # Properties
//
// Monitor: values are delivered in the order in which they were sent (safe), and each is (hot until then). Eventually: all is
// delivered. With part=abstraction sender and receiver are those of listing 7, which lose and repeat nothing; "macemc
// refine channel" compares them with what they stand for.
package channel
