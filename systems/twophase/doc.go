// Package twophase is two-phase commit: a coordinator and its participants commit a transaction
// together, or not at all.
//
// # Protocol
//
// Node 0, the coordinator, asks the participants to prepare. Each of them votes, and then all are told
// whether the transaction commits, which it does when all votes are yes. When votes do not come in time
// the coordinator aborts. What a node must not forget is on its disk before anybody hears of it. A
// participant that has voted yes is in doubt until it is told; it asks after a restart. A coordinator
// that restarts tells its decision again or, when it has none, asks for the votes again.
//
// # Source
//
// Gray, "Notes on Data Base Operating Systems" (1978). The defects TP1 to TP3 are common mistakes, of no
// particular implementation.
//
// # Simplifications
//
//   - There is one transaction, without content, and how a participant votes is a choice.
//   - Nothing is sent again except after a restart, so the network must not lose datagrams.
//   - No participant asks another: while the coordinator is down those in doubt wait. When it has halted they wait for
//     ever (--halts 1): two-phase commit blocks.
//
// # What had to be added
//
// A vote of yes that comes when the coordinator has decided is answered with the decision: it may come from
// a participant that lost the decision in a crash, or asked while there was none.
//
// # Properties
//
// Always:
//
//   - no node commits while another aborts.
//
// In some state that stays reachable:
//
//   - all nodes that have not halted are up, the outcome is decided and nobody is in doubt.
//
// Sometimes:
//
//   - a transaction commits.
package twophase
