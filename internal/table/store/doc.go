// Package store interns the components of global states.
//
// A component is the local state of a node, the inbox of datagrams in flight to it, the connection of a pair of
// nodes, the state of a monitor, or the globals of the network (fault limits, the partition). [Tables] numbers each
// of these by its whole canonical encoding. Equal encodings have equal numbers, and different ones have different
// numbers. A global state is a vector of such numbers, and its fingerprint the sum of the hashes of its components.
// This is the idea of collapse compression (Holzmann, State Compression in SPIN, SPIN Workshop 1997).
//
// The result of an operation on a component is looked up by number. The first time, the network model executes the
// operation on that component alone (netmodel.Parted).
//
// steptree.Engine embeds Tables and adds the steps of handlers. A world.World changes a vector by both. Numbers keep
// their meaning as long as the Tables exist. Interned components must not be changed. A field that caches a number
// holds it plus one if its zero value means unknown.
//
// # Files
//
//	tables.go                    Tables; the words of a vector; remaining crashes and halts
//	locals.go                    local states, and what a crash or halt makes of each
//	inboxes.go                   inboxes: what a send, loss, duplicate or failure makes of each
//	conns.go, conntable.go       connections: what is enabled, what an operation makes of each
//	conneffects.go               effects of operations that depend only on flags and queue lengths
//	queues.go                    lists of messages in connections
//	netglobals.go                remaining faults of the network, partitions
//	monitors.go, obligations.go  states of monitors; obligations that are hot or settled
//	samples.go                   which looked-up steps are executed again
//	nondeterminism.go, plans.go  findings of differences; how services are copied for handlers
//	outcome.go                   kinds of errors: which end a run, or need the replay engine
//	callnotes.go                 numbers of the calls of checked code, see options.Calls
//	limit.go                     how many entries and bytes the tables have
//	memo.go, pages.go            hash table from numbers to values; list that grows without copying
package store
