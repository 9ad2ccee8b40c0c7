// Package commit is two-phase commit as machines (package machine), with clients.
//
// # Protocol
//
// A client asks the coordinator to write a value. The coordinator makes all participants prepare, and defers other
// transactions meanwhile. It commits when all have agreed, and aborts when one refuses or the timer fires. Each
// participant keeps a store, and refuses values older than its own. Reads go through the coordinator to any
// participant.
//
// # Source
//
// The second tutorial of the language P (p-org.github.io), which is the same program in P. The tutorial shows the
// defect PC1 to its readers.
//
// # Simplifications
//
// Clients write to one key. No machine fails.
//
// # Properties
//
// Monitors: a committed transaction was agreed to by all; every transaction is answered once. Eventually: every
// client ends. Sometimes: a transaction is committed.
package commit
