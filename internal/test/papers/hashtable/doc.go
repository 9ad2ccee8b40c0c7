// Package hashtable is a hash table whose keys are spread over members that are replicated, as machines (package machine).
//
// # Protocol
//
// Clients ask the dispatcher, which knows who has which key, and asks that member, one request for each key at a time. The master moves keys, whenever it
// pleases: it takes the key's value from one member, gives it to another, and then tells the dispatcher. A member that does not have a key refuses, and the
// dispatcher repeats the request when it knows of another member. What is replicated is the member as a function of its operations.
//
// # Source
//
// The dispatcher and the fault-tolerant hash table of section 5 of "Building Reliable Distributed Systems With P" (UCB/EECS-2015-198), which compose state
// machine replication with a dispatcher that has a copy of who is where. HT1, HT2 and HT6 are of the kind of the liveness bug that it counts: a request to who
// was replaced must be repeated. HT6 is one of the first version of this program.
//
// # Simplifications
//
// Dispatcher and master do not fail. There are two keys, which the members have in turn at first.
//
// # Properties
//
// Monitors: each command is answered (hot), by what it comes to in a table that is in one place. Eventually: every client comes to an end. With members=single, the
// default, a single node (package smr) stands for each member, and with smr=single one for everything; "macemc refine hashtable" compares both.
package hashtable
