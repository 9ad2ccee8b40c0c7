// Package paxos is single-decree Paxos: nodes agree on one value though some of them fail. Its state
// graph is a common benchmark of model checkers. Without faults, and with three acceptors and one
// learner, it has
//
//	proposers       states   transitions
//	        2       98,160       506,256
//	        3   47,387,132   354,909,009
//
// # Protocol
//
// Proposers ask acceptors to read, that is, to promise to ignore lower ballots and to tell what they have
// accepted. When a majority has replied they ask them to write, that is, to accept the value of the highest
// ballot among the replies or, when there is none, their own. Learners count what was accepted. An
// acceptor's promise and what it has accepted are on its disk before anybody hears of them.
//
// # Source
//
// Lamport, "The Part-Time Parliament" (ACM TOCS 1998), single-decree, in the form in which model checkers
// are compared on it: every step handles one message. The defects PX1 to PX3 are common mistakes, of no
// particular implementation.
//
// # Simplifications
//
//   - Every proposer proposes once, in a ballot of its own, so a run may end without a decision.
//   - To keep the state graph small, and canonical, services forget what they need no more.
//   - Replies and accepts are counted, whoever sends them: the network must not duplicate datagrams.
//
// Nothing had to be added.
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
