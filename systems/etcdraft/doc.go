// Package etcdraft is go.etcd.io/raft/v3, the consensus library of etcd, behind an adapter. The library is unmodified
// third-party code.
//
// # Components
//
// Each node runs a RawNode with its log and hard state on the node's disk. A store of registers applies committed
// entries, and a client writes and reads. The adapter, node.go, disk.go and rules.go, does not depend on the
// properties; client.go is the application. docs/howto/existing-service.md explains them.
//
// The adapter follows the order that raft's documentation demands. Entries and hard state are written, and synced if
// raft requires it, before messages are sent; committed entries are applied afterwards. A change of the commit index
// alone is written but not synced, and may be lost in a crash. The applied state is not on disk: raft passes the
// entries again after a restart.
//
// # Time
//
// Raft counts time in ticks, and draws its election time-out from a global random source whenever a node changes its
// role. Here the time-out exceeds the length of any run, and the drawn number is excluded from the state. Instead a
// timer of the node makes raft campaign after it has fired a few times without a sign of a leader. A leader's timer is
// the tick on which raft sends heartbeats. Timers may fire at any moment, so every campaign that some time-out allows
// is explored. CheckQuorum and reads by lease depend on ticks and are off.
//
// # State
//
// The nodes' states contain raft's own types, including unexported fields. Functions are encoded by their names,
// protobuf messages by their deterministic encoding. Types that hold functions are never copied: the replay engine
// needs no copies, and the table engine re-executes the node's history.
//
// # Source
//
// go.etcd.io/raft/v3; Ongaro and Ousterhout, "In Search of an Understandable Consensus Algorithm" (2014), for the
// names of the properties. The defects ER1 to ER4 are in the adapter, and are common mistakes of programs that
// use the library.
//
// # Simplifications
//
//   - Logs are never compacted, so there are no snapshots.
//   - Membership changes by one node at a time, without joint consensus and without learners.
//   - A removed node falls silent: it does not campaign and sends no heartbeats.
//   - A leader does not remove a member if there are only two, see below.
//
// Nothing was added.
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
//   - state-machine safety and leader completeness: the entry that some node has applied at an index is the one that
//     others apply, and every leader of a later term has it;
//   - linearizable reads: the history of all clients is one of registers, by package linear.
//
// In some state that stays reachable:
//
//   - all members are up and follow one leader;
//   - they have applied all entries of its log, and none of their clients waits.
//
// Sometimes:
//
//   - a write returns.
//
// # A known limit of raft
//
// With the parameter smallest=1 a cluster of two may lose a member, and the search finds the limit that the library's
// documentation warns of. One of the two crashes before it learns that the change is committed. The other one has
// learned it, is alone, and does not campaign. It does not vote for a node with a shorter log than its own. No node
// ever leads again.
//
//macemc:ok rand.Int: raft draws election time-outs, which are left out of the state and which no tick reaches
package etcdraft
