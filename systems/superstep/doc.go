// Package superstep is a search of a graph by several workers that may crash, and lose all that they have: what they accept is in
// logs that are replicated, and a commit says how far all of them are.
//
// # Protocol
//
// Node 0 is the store, which does not crash: a log of accepted states for each part of the graph, a lease, and the commit, which is
// changed by compare-and-swap. The other nodes are members. Each holds parts, and whoever has the lease leads, too.
//
// The search goes in supersteps. In one, a member takes the states of its parts from next to until and sends what follows
// from them to the owners of those parts, then says how much it sent to each. It takes what the others sent only after
// its own states. When it has taken all, and all that it accepted is in the logs, it is done; when all are done, the leader
// commits the next superstep. Until is the end of a level, so that states are found on shortest paths.
//
// A message names the superstep and the epoch. The leader begins a new epoch when it comes to lead, when a member has restarted,
// is silent, or misses a message: the superstep is done again, and what was sent before is void. What was accepted before stays
// accepted: it can be reached, whoever found it.
//
//	R1  A member takes part in an epoch only when that lists its incarnation, and repeats that it is done when it is asked again.
//	R2  A new epoch begins at the commit's next; what was sent lately and what numbers stand for is forgotten, and old messages.
//	R3  Own states from next to until are expanded, or fewer where time is up.
//	R4  Messages are taken after that, in the order in which they were sent, each once; those of later supersteps wait.
//	R5  Done means that all that was sent was taken, and that all that was accepted is in a log.
//	R6  All are done: one compare-and-swap. All states are expanded: the search is complete.
//	R7  The leader begins a new epoch for an unknown incarnation, a lost message, a silent member, and when it came to lead: then without the one that led before.
//	    A member that leaves says so in its heartbeat: it gives the lease back, is left out of the next epoch, and ends when it is told of that.
//	R8  Accepting twice is accepting once.
//	R9  A member that comes to a part reads its log, also behind the commit.
//	R10 Complete is said only when the logs are as long as the commit says.
//
// States are sent by number. What a number stands for is said when it is sent for the first time on a link in an epoch.
//
// Members, leader and links know nothing of states but what [Data] tells them, here [Letters]. A cluster (docs/scale.md) runs the same
// code, with the states of a system, and with a store and a network of its own. Its messages say in each batch what numbers stand for,
// and what was accepted in a void epoch stays in memory until it is logged.
//
// # Source
//
// The protocol is this project's own. Supersteps are those of Valiant, "A Bridging Model for Parallel Computation" (1990); what is
// searched, and that it must survive the loss of any node, is Ishida, "Fault Tolerance for Distributed Explicit-State Model
// Checking" (2014). The defects are mistakes that were made, or could be.
//
// # Simplifications
//
//   - The graph has six states, and two parts.
//   - The store is one node that answers what comes to it. It does forget the end of a log if it may (--set forgets=1).
//   - Time is timers that fire at any moment: a member may seem silent, and a lease run out, whenever that does harm.
//
// # Properties
//
// Always:
//
//   - complete is said only when all states that can be reached are in a log;
//   - each state is in the log of its part, and once;
//   - nothing is in a log that cannot be reached;
//   - the commit says no more than what the logs hold.
//
// In some state that stays reachable:
//
//   - the search has come to an end.
package superstep
