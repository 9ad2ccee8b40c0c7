// Package twophase is two-phase commit: a coordinator and its participants commit a transaction
// together, or not at all.
//
// # Protocol
//
// Node 0, the coordinator, asks the participants to prepare. Each of them votes. The transaction commits if all votes
// are yes; the coordinator then sends the outcome to all. It aborts if votes are late. State that a node must not lose
// is on its disk before it is visible to others. A participant that has voted yes is in doubt until it learns the
// outcome; it asks after a restart. A restarted coordinator sends its decision again or, if there is none, requests the
// votes again.
//
// # Source
//
// Gray, "Notes on Data Base Operating Systems" (1978). The defects TP1 to TP3 are common mistakes, not taken from a
// particular implementation.
//
// # Simplifications
//
//   - There is one transaction, without content, and the vote of a participant is a choice.
//   - Nothing is resent except after a restart, so the network must not lose datagrams.
//   - Participants do not ask each other: while the coordinator is down, those in doubt wait. If it has halted, they
//     wait forever (--halts 1): two-phase commit blocks.
//
// # Additions to the source
//
// A vote of yes that arrives after the decision is answered with the decision: it may come from a participant that lost
// the decision in a crash, or that asked before there was one.
//
// # Properties
//
// Always:
//
//   - no node commits while another aborts.
//
// In some state that stays reachable:
//
//   - all nodes that have not halted are up, the outcome is decided and no node is in doubt.
//
// Sometimes:
//
//   - a transaction commits.
package twophase
