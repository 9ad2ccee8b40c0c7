// Package etcdraft is go.etcd.io/raft/v3, the consensus library of etcd, behind an adapter: a library that
// nobody here wrote, checked as it is.
//
// # What runs
//
// Each node runs a RawNode with its log and hard state on the node's disk, a store of registers that
// applies what is committed, and a client that writes and reads. node.go, disk.go and rules.go are the adapter
// and know nothing of what is checked; client.go is the application. docs/howto/existing-service.md explains them.
//
// What raft hands over is done in the order that its documentation demands: entries and hard state are
// written and synced, when raft says so, before messages are sent; what is committed is applied afterwards.
// A change of the commit index alone is written but not synced, and may be lost in a crash. Nothing of what was
// applied is on disk: raft hands it over again after a restart.
//
// # Time
//
// Raft counts time in ticks, and draws its election time-out from a global random source whenever a node
// changes its role. Here the time-out is so long that no run reaches it, whatever is drawn, and the
// drawn number is left out of the state. Instead a timer of the node asks raft to campaign when it has
// fired a few times without a sign of a leader, and a leader's timer is the tick on which raft sends
// heartbeats. Timers may fire at any moment, so that no campaign that some time-out allows is missed.
// CheckQuorum and reads by lease depend on ticks and are off.
//
// # State
//
// The nodes' states hold raft's own types, unexported fields included. Its functions are encoded by their names,
// its protobuf messages by their deterministic encoding. Types that hold functions are never copied: the replay
// engine needs no copies, and the table engine executes the node's history again.
//
// # Source
//
// go.etcd.io/raft/v3; Ongaro and Ousterhout, "In Search of an Understandable Consensus Algorithm" (2014), for the
// names of the properties. The defects ER1 to ER4 are in the adapter, and are common mistakes of programs that
// use the library.
//
// # Simplifications
//
//   - Logs are never compacted, so that there are no snapshots.
//   - The membership changes by one node at a time, without joint consensus and without learners.
//   - A node that was removed falls silent: it does not campaign and sends no heartbeats.
//   - A leader removes no member when there are only two, see below.
//
// Nothing had to be added.
//
// # Properties
//
// Always, in the state of all nodes that are up:
//
//   - election safety: no two nodes lead in the same term;
//   - log matching: two logs that have an entry of the same index and term are equal up to it;
//   - state-machine safety: stores that have applied as many entries are equal.
//
// Always, over the whole run, by monitors:
//
//   - a term has one leader, crashed ones included;
//   - state-machine safety and leader completeness: the entry that some node has applied at an index is the one
//     that others apply, and every leader of a later term has it;
//   - linearizable reads: the history of all clients is one of registers, by package linear.
//
// In some state that stays reachable:
//
//   - all members are up and follow one leader;
//   - they have applied all that is in its log, and no client of theirs waits.
//
// Sometimes:
//
//   - a write returns.
//
// # A known limit of raft
//
// With the parameter smallest=1 a cluster of two may lose a member, and the search finds what the
// library's documentation warns of: when one of the two crashes before it knows that the change is
// committed, the other one, which knows, is alone and does not campaign, and does not vote for a node whose
// log is shorter than its own; neither ever leads again.
//
//macemc:ok rand.Int: raft draws election time-outs, which are left out of the state and which no tick reaches
package etcdraft
