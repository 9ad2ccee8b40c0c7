// Package basicpaxos is Paxos for a single decision as machines (package machine).
//
// # Protocol
//
// Each client has a proposer, and proposes a value. A proposer asks for promises of a majority of acceptors to
// accept nothing of lower ballots. It takes the value that they have accepted under the highest ballot, or its
// client's if they have accepted none, and asks them to accept it. A value accepted by a majority under one ballot
// is decided. Acceptors report what they accept to all proposers, and these report decisions to their clients. A
// proposer may try again with a higher ballot at any time.
//
// # Source
//
// Lamport, "Paxos Made Simple" (2001), as in section 5 of "Building Reliable Distributed Systems With P"
// (UCB/EECS-2015-198), which counts its bugs without describing them.
//
// # Simplifications
//
// Each proposer has a bounded number of ballots; otherwise duels of proposers never end. The proposer of the
// highest ballot is eventually undisturbed. Up to a minority of acceptors fail on request.
//
// # Properties
//
// Always: a value accepted by a majority under a ballot is the value of all higher ballots. Monitor: a decided
// value was proposed, and all clients learn the same one. Monitor: each client is answered once (hot). With
// part=abstraction the acceptors are replaced by a register that accepts the first value, and "macemc refine
// basicpaxos" compares both.
package basicpaxos
