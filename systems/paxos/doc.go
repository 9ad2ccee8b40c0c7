// Package paxos is single-decree Paxos: nodes agree on one value although some of them fail. Its state graph is a
// common benchmark of model checkers. Without faults, and with three acceptors and one learner, it has
//
//	proposers       states   transitions
//	        2       98,160       506,256
//	        3   47,387,132   354,909,009
//
// # Protocol
//
// Proposers ask acceptors to read, that is, to promise to ignore lower ballots and to report what they have accepted.
// After replies from a majority they ask them to write, that is, to accept the value of the highest ballot among the
// replies or, if there is none, their own. Learners count accepts. An acceptor's promise and its accepted value are on
// its disk before they are visible to others.
//
// # Source
//
// Lamport, "The Part-Time Parliament" (ACM TOCS 1998), single-decree, in the form used to compare model checkers: every
// step handles one message. The defects PX1 to PX3 are common mistakes, not taken from a particular implementation.
//
// # Simplifications
//
//   - Every proposer proposes once, in a ballot of its own, so a run may end without a decision.
//   - Services discard state that they no longer need, to keep the state graph small and canonical.
//   - Replies and accepts are counted regardless of sender: the network must not duplicate datagrams.
//
// Nothing was added.
//
// # Properties
//
// Always:
//
//   - agreement: no two different values are accepted by a majority.
//
// Sometimes:
//
//   - a value is chosen.
package paxos
