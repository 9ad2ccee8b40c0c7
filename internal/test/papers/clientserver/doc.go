// Package clientserver is a bank as machines (package machine): clients withdraw money from a server that keeps its
// accounts in a database.
//
// # Protocol
//
// A client asks the server for an amount and waits for the answer. The server asks the database for the balance,
// and defers everything else meanwhile. It grants a withdrawal that leaves at least ten in the account. It updates
// the database and answers.
//
// # Source
//
// The first tutorial of the language P (p-org.github.io), which is the same program in P. The tutorial asks its
// readers to find the defect CS1.
//
// # Simplifications
//
// Amounts are drawn from one to one more than a client can withdraw, and clients ask a bounded number of times.
//
// # Properties
//
// Monitors: the balance is always correct; every withdrawal is answered once. Eventually: every client ends.
package clientserver
