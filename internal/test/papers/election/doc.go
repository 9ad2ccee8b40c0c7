// Package election is the election of a leader as machines (package machine): the bully algorithm.
//
// # Protocol
//
// The highest node that is up must lead. A node that learns of its leader's failure asks all higher ones. Those
// answer that they are alive, and ask those above them. A node that learns that all higher ones have failed leads,
// and notifies the others. All report their leader to the client.
//
// # Source
//
// Garcia-Molina, "Elections in a Distributed Computing System" (1982). Section 5 of "Building Reliable Distributed
// Systems With P" (UCB/EECS-2015-198) has a leader election that it does not describe. Its bugs are unhandled
// events, like LE1 and LE2.
//
// # Simplifications
//
// There are no timeouts: the last message of a failing node notifies all others. So failures are detected late, but
// never wrongly. Nodes do not come back.
//
// # Properties
//
// Always: at most one node leads. Inevitably: all nodes that are up follow the highest one. With part=abstraction
// each node follows arbitrary nodes, and changes its leader a bounded number of times; "macemc refine election"
// compares both. The elector of package multipaxos is such an abstraction.
package election
