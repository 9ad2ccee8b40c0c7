// Package commit is two-phase commit as machines (package machine), with clients.
//
// # Protocol
//
// A client asks the coordinator to write a value. The coordinator has all participants prepare, defers other transactions
// meanwhile, and commits when all have agreed; when one refuses, or its timer fires, it aborts. Each participant keeps a
// store, and refuses what is older than what it has. Reads go through the coordinator to any participant.
//
// # Source
//
// The second tutorial of the language P (p-org.github.io), which is the same program in P. The defect PC1 is the one that the
// tutorial shows its readers.
//
// # Simplifications
//
// Clients write to one key. No machine fails.
//
// # Properties
//
// Monitors: what is committed was agreed on by all; every transaction is answered, once. Eventually: every client comes to an
// end. Sometimes: something is committed.
package commit
