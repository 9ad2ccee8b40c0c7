// Package chain is chain replication as machines (package machine): a replicated state machine that works while one
// replica does.
//
// # Protocol
//
// Clients ask the front, which asks the head of a chain of replicas. Each replica appends a command to its history
// and passes it on. The tail executes it and answers, and an acknowledgement goes back along the chain. The front
// learns of failures, and repairs the chain. When the head fails the next replica becomes the head, and gets all
// open commands. When the tail fails its predecessor becomes the tail, and answers everything that was not
// acknowledged. When another replica fails its successor reports its progress, and its predecessor sends the rest.
//
// # Source
//
// van Renesse and Schneider, "Chain Replication for Supporting High Throughput and Availability" (OSDI 2004), as in
// section 5 of "Building Reliable Distributed Systems With P" (UCB/EECS-2015-198). CR1 and CR2 are bugs of the
// older public sources of P. CR7 is a bug of the first version of this program, and CR8 is its effect with replicas
// that crash.
//
// With fail=crash replicas crash without notice. The front learns of it from replicas with broken connections. It
// makes a new tail repeat all answers that it has not passed on, since answers may be lost with the old one. A real
// network needs this form. With process=2 two replicas run in each process, and crash together.
//
// # Simplifications
//
// The front is the paper's master, and does not fail. The last message of a failing replica reports the failure to
// it: failures are detected late, but never wrongly (with fail=crash by the connections). All commands go through
// the chain, including queries. Replicas are not replaced.
//
// # Properties
//
// Always: of two replicas the history of the later one is a prefix of that of the earlier one; answered commands
// are in the history of each replica that the front believes to be up. Monitor: each command is answered once
// (hot). Clients assert that commits are in order and that the returned sum includes at least their own commands.
// With smr=single a single node (package smr) replaces front and replicas, and "macemc refine chain" compares both.
package chain
