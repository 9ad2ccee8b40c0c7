// Package twophase is two-phase commit: a coordinator asks participants to prepare, each of which
// votes, and then tells all of them whether the transaction commits, which it does when all votes are
// yes. When votes do not come in time the coordinator aborts. What a node must not forget is on its
// disk before anybody hears of it. A participant that has voted yes is in doubt until it is told; it
// asks after a restart. A coordinator that restarts tells its decision again or, when it has none,
// asks for the votes again.
//
// Nothing is sent again except after a restart, so the network must not lose datagrams.
package twophase
