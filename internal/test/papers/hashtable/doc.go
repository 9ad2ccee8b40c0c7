// Package hashtable is a hash table with keys distributed over replicated members, as machines (package machine).
//
// # Protocol
//
// Clients ask the dispatcher, which knows the owner of each key and forwards one request for each key at a time.
// The master moves keys at arbitrary times: it takes the key's value from one member, gives it to another, and then
// notifies the dispatcher. A member that does not own a key refuses, and the dispatcher repeats the request when it
// learns of another owner. Members are functions of their operations, and replicated.
//
// # Source
//
// The dispatcher and the fault-tolerant hash table of section 5 of "Building Reliable Distributed Systems With P"
// (UCB/EECS-2015-198), which compose state machine replication with a dispatcher that has a copy of the owners.
// HT1, HT2 and HT6 are like the liveness bug that it reports: a request to a former owner must be repeated. HT6 is
// a bug of the first version of this program.
//
// # Simplifications
//
// Dispatcher and master do not fail. There are two keys, which belong to the members in turn at first.
//
// # Properties
//
// Monitors: each command is answered (hot), with its result in a table in one place. Eventually: every client ends.
// With members=single, the default, a single node (package smr) replaces each member, and with smr=single one
// replaces everything; "macemc refine hashtable" compares both.
package hashtable
