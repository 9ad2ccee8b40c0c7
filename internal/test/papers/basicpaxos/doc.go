// Package basicpaxos is Paxos for a single decision as machines (package machine).
//
// # Protocol
//
// Each client has a proposer, and proposes a value. A proposer has most acceptors promise to accept nothing of lower ballots, takes the value that they have
// accepted under the highest ballot, or its client's if they have accepted none, and has it accepted. What most have accepted under one ballot is decided;
// acceptors tell all proposers what they accept, and these tell their clients. A proposer may try again, by a higher ballot, at any time.
//
// # Source
//
// Lamport, "Paxos Made Simple" (2001), as in section 5 of "Building Reliable Distributed Systems With P" (UCB/EECS-2015-198), which counts its bugs and
// does not say what they are.
//
// # Simplifications
//
// Each proposer has so many ballots, without which duels of proposers have no end: whoever has the highest is not disturbed in the end. Acceptors
// fail as they are told to, a minority of them.
//
// # Properties
//
// Always: what most acceptors have accepted under a ballot is what all higher ballots have. Monitor: what is decided was proposed, and all are told the
// same. Monitor: each client is told, once (hot). With part=abstraction there is a register that the first to come writes in the place of the acceptors, and
// "macemc refine basicpaxos" compares them.
package basicpaxos
