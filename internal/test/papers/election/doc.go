// Package election is the election of a leader as machines (package machine): the bully algorithm.
//
// # Protocol
//
// The highest node that is up is to lead. A node that hears that its leader has failed asks all higher ones. Those answer that they are alive, and ask those
// above them; who hears of all higher ones that they have failed leads, and tells the others. All tell the client whom they follow.
//
// # Source
//
// Garcia-Molina, "Elections in a Distributed Computing System" (1982). Section 5 of "Building Reliable Distributed Systems With P" (UCB/EECS-2015-198) has a leader
// election that it does not describe; the bugs that it counts are events that nobody had thought of, as LE1 and LE2.
//
// # Simplifications
//
// There are no time-outs: a failing node tells all as its last. So failures are detected, late, but never wrongly. Nodes do not come back.
//
// # Properties
//
// Always: at most one node leads. Inevitably: all that are up follow the highest that is. With part=abstraction each node follows any others, as often as they
// may change; "macemc refine election" compares. The elector of package multipaxos is such an abstraction.
package election
