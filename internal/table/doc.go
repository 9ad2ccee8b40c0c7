// Package table is the table engine: it executes the steps of a system by looking them up.
//
// # Global states are vectors
//
// Every component of a state is interned: the local state of each node (service, armed timers, counters, disk,
// clock, up or down), the inbox of datagrams in flight to each node, the connection of each unordered pair of nodes
// (flags and queues of both ends), the globals of the network (remaining fault limits, the partition), the
// remaining crashes and halts, and each monitor. A global state is the vector of these numbers, so saving or restoring it
// copies a few words. Interning compares whole canonical encodings (hashes only find the candidates), so different
// states are never merged. The visited set stores vectors (exact, the default) or their fingerprints, which may merge
// states with a probability that is reported (package stateset). Symmetry visits one state of each class (package
// symmetry). Numbers are private to one engine: other processes get content, such as a fingerprint.
//
// # Steps are decision trees
//
// By the local-step rule a handler is a function of its node's local state, the event, and the answers to its
// questions. For each pair of local state and event the engine keeps a decision tree. An inner node is a question:
// a choice, or an observation of room in a stream, which is answered from the vector. A leaf is the new local state
// and the list of effects. A handler runs only when its tree has no leaf for the given answers. It runs on a
// private copy of the interned service and repeats the answers so far.
//
// Effects are then applied to the parts of the network that they name. The change of a part is looked up, too. A
// missing entry is computed by the real network model, which executes the operation on that part alone
// ([netmodel.Parted]). A crash inside a step applies a prefix or subset of a leaf's effects without running a handler.
//
// Lists of enabled events are kept for each local state, inbox and connection, and concatenated in the order of the
// replay engine.
//
// # Copies
//
// On a miss the handler runs on a deep copy of the service by the state plan of its type. If the type cannot be
// copied (it holds functions in ignored fields, or foreign types without a rule), the copy is made by running all handlers of that
// node since its last boot again. world.World.Plans lists which is used for each type, and why.
//
// # Exploration
//
// [Explore] hands the states of a system to package explore as packed vectors, with one number for the local state
// and inbox of each node. Steps are cached as transitions. Their key is that number, the parts that exist once and,
// for a stream event, the data that it delivers. Their value is the node's next number, the change of the
// fingerprint, and operations. An operation sends a datagram, changes a connection or notifies monitors. Its
// results are cached in a table. Observations of room in streams are part of the key. Taking a transition costs a
// few additions and a look-up for each operation. Steps that fail are executed in the world. So are, for
// comparison, all steps of a sample of states.
//
// Coverage is read off the tables at the end. Once all states were visited, each is known to recover or to be dead.
//
// # Trust, but verify
//
// A service that is not a function of its local state (it shares a map with another, counts in a global variable,
// hides state from the encoding) would make the tables wrong. Thus a sample of the steps that were looked up is
// executed again and compared, some of them from the node's last boot on. Properties must not change the state that
// they read, so a sample of interned services is encoded again. A difference is a finding of kind nondeterminism.
//
// # Packages, lowest first
//
//	options, store, steptree  bounds, interned components, results of handlers as trees
//	audit                     content hashes for logs and clusters
//	world                     a kernel.World over the tables, for random walks
//	statespace                states and transitions as a graph.Graph, sleep sets
//	fairness, por             fair cycles; partial-order reduction
//	symmetry, crashes         permutations of nodes; crashes that cannot matter
//	refinement                observable transitions
//	(this package)            Explore combines them: explore.go, analyses.go, dead.go, recovery.go
//	shard                     one process's part of a state space
package table
