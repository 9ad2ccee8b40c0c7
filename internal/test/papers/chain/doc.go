// Package chain is chain replication as machines (package machine): a replicated state machine that works as long as one replica does.
//
// # Protocol
//
// Clients ask the front, which asks the head of a chain of replicas. Each replica appends a command to its history and passes it on; the tail
// executes it and answers, and an acknowledgement goes back along the chain. The front knows who fails, and mends the chain: when the
// head fails the next one is the head, which is told all that is open; when the tail fails the one before it is the tail, which answers what was
// not acknowledged; when another fails the one after it says how far it has come, and the one before it sends the rest.
//
// # Source
//
// van Renesse and Schneider, "Chain Replication for Supporting High Throughput and Availability" (OSDI 2004), as in section 5 of
// "Building Reliable Distributed Systems With P" (UCB/EECS-2015-198). CR1 and CR2 are slips of the older public sources of P, CR7 is one of the first version
// of this program, CR8 what that would do with replicas that crash.
//
// With fail=crash replicas crash without a word. The front hears of it from those whose connections break, and has a new tail answer anew all that it has
// not passed on: answers may be lost with the old one. This is the form for a real network. With process=2 two replicas run in each process, and crash together.
//
// # Simplifications
//
// The front is the paper's master, and does not fail. A failing replica tells it so as its last step: failures are detected, late, but never
// wrongly (with fail=crash by the connections). All commands go through the chain, queries too. Replicas are not replaced.
//
// # Properties
//
// Always: of two replicas the history of the later one is the beginning of that of the other; what was answered is in the history of each
// replica that the front believes in. Monitor: each command is answered, once (hot). Clients assert that commits come in order and that the sum told is
// that of at least their own. With smr=single there is a single node (package smr) in the place of front and replicas, and "macemc refine chain"
// compares them.
package chain
