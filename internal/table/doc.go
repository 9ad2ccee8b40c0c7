// Package table is the table engine: it executes the steps of a system by looking them up.
//
// # Global states are vectors
//
// Everything that a state consists of is interned: the local state of each node (service, armed
// timers, counters, disk, clock, up or down), the inbox of datagrams in flight to each node, the
// connection of each unordered pair of nodes (flags and queues of both ends), what the network holds
// once (fault limits that remain, the partition), the crashes that remain, and each monitor. A global
// state is the vector of these numbers, so taking it down or putting it back is to copy some words.
// Interning compares whole canonical encodings (hashes only find the candidates), so no two
// different states are ever merged. Numbers are private to one engine: what leaves the process is
// content, such as a fingerprint.
//
// # Steps are decision trees
//
// By the local-step rule a handler is a function of its node's local state, the event, and the
// answers to its questions. For each pair of local state and event the engine keeps the tree of what
// happened so far: an inner node is a question (a choice, or an observation of room in a stream, which
// is answered from the vector), a leaf is the new local state and the list of effects. A handler
// runs only when its tree has no leaf yet for the answers given: on a private copy of the interned
// service, with the answers so far repeated.
//
// Effects are then applied to the parts of the network that they name. How a part changes is looked
// up, too; the first time it is found out by letting the real network model do the operation while
// it holds that part alone ([sim.Parted]). A crash inside a step applies a part of a leaf's effects;
// no handler runs for it.
//
// Enabled events are lists kept for each local state, inbox and connection, put together in the order
// of the replay engine.
//
// # Copies
//
// The service for a miss is a deep copy by the state plan of its type, or, when the type cannot be
// copied (it holds functions, or foreign types without a rule), the result of running all handlers of
// that node since its last boot again. world.World.Plans tells which is used for which type, and why.
//
// # Exploration
//
// [Explore] hands the states of a system to package explore, as packed vectors:
// one number for what belongs to a node alone, its local state and the inbox of datagrams in flight to it. Steps are kept
// as transitions, by that number and what exists once, and for an event of a stream by what it hands over: the node's next number,
// how the fingerprint changes, and operations. An operation sends a datagram, does something to a connection or tells
// monitors, and what it makes of each of these is in a table. What a handler asks about room in streams tells transitions apart:
// they are kept by the answers. To take a transition is some additions and a look-up for each operation. Steps that fail are
// taken in the world; so are, to compare, all steps from a sample of states.
//
// What an exploration covered is read off the tables at its end. Once all states were visited each is known to recover or
// to be dead.
//
// # Trust, but verify
//
// A service that is not a function of its local state (it shares a map with another, counts in a
// global variable, hides state from the encoding) would make the tables wrong. So a sample of the
// steps that were looked up is executed again and compared, now and then from the node's last boot
// on; properties may not change what they look at, so a sample of interned services is encoded
// again. What differs is a finding of kind nondeterminism.
package table
