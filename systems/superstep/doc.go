// Package superstep searches a graph with several workers that may crash and lose all their state. Accepted states
// are in replicated logs, and a commit records the progress of all workers.
//
// # Protocol
//
// Node 0 is the store, which does not crash. It has a log of accepted states for each part of the graph, a lease,
// and the commit, which is changed by compare-and-swap. The other nodes are members. Each owns parts, and the
// holder of the lease leads, too.
//
// The search proceeds in supersteps. In a superstep, a member expands the states of its parts from next to until,
// sends the successors to the owners of their parts, and then reports to each how much it sent. It takes the
// others' messages only after its own states. A member is done when it has taken all messages and everything that
// it accepted is in the logs. When all members are done, the leader commits the next superstep. Until is the end of
// a level, so states are found on shortest paths.
//
// A message names its superstep and epoch. The leader begins a new epoch when it starts to lead, or when a member
// has restarted, is silent, or misses a message. Then the superstep is repeated, and earlier messages are void.
// Accepted states remain accepted: they are reachable, no matter who found them.
//
// R1  A member takes part only in an epoch that lists its incarnation, and repeats that it is done when asked again.
// R2  A new epoch begins at the commit's next. Recently sent states, number definitions and old messages are forgotten.
// R3  A member expands its states from next to until, or fewer if the time is up.
// R4  Then it takes messages in sending order, each once; those of later supersteps wait.
// R5  Done means that all sent messages were taken, and all accepted states are in a log.
// R6  When all are done, one compare-and-swap commits. When all states are expanded, the search is complete.
// R7  The leader begins a new epoch for an unknown incarnation, a lost message, a silent member, and when it starts to lead,
// then without the previous leader. A member that leaves reports that in its heartbeat. It gives the lease back, is omitted
// from the next epoch, and ends when it learns that.
// R8  Accepting a state twice has no effect.
// R9  A new owner of a part reads its whole log, also beyond the commit.
// R10 The leader reports completion only if the logs are as long as in the commit.
//
// States are sent by number. A number is defined when it is first sent on a link in an epoch.
//
// Members, leader and links access states only through [Data], implemented here by [Letters]. A cluster
// (docs/scale.md) runs the same code with the states of a system, its own store and its own network. Its messages
// define numbers in each batch, and states accepted in a void epoch stay in memory until they are logged.
//
// # Source
//
// The protocol is this project's own. Supersteps are those of Valiant, "A Bridging Model for Parallel Computation"
// (1990). The problem, a distributed search that survives the loss of any node, is that of Ishida, "Fault Tolerance
// for Distributed Explicit-State Model Checking" (2014). The defects are mistakes that were made, or are likely.
//
// # Simplifications
//
//   - The graph has six states, and two parts.
//   - The store is one node that answers every request. It loses the end of a log if allowed (--set forgets=1).
//   - Timers may fire at any moment: a member may seem silent, or a lease expire, at the worst time.
//
// # Properties
//
// Always:
//
//   - completion is reported only when all reachable states are in a log;
//   - each state is in the log of its part, and once;
//   - every state in a log is reachable;
//   - the commit claims no more than what the logs hold.
//
// In some state that stays reachable:
//
//   - the search ends.
//
// # Files
//
//	messages.go        Commit, and the messages between members and with the store
//	member.go          Member: heartbeats, timers, when it leaves or ends
//	worker.go          when a member expands, takes messages, and is done
//	link.go            which batches of another member were taken
//	leader.go          when the leader commits, begins an epoch, and gives parts to members
//	part.go            which states of a part are accepted
//	data.go            Letters: states, and the numbers by which they are sent
//	graph.go           the graph that is searched
//	store.go           the store: lease, commit, logs
//	properties.go      properties, by the exact graph
//	entry.go, bugs.go  parameters; defects
package superstep
