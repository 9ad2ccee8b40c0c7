// Package paxos is single-decree Paxos: proposers ask acceptors to read, that is, to promise to
// ignore lower ballots and to tell what they have accepted, and then to write, that is, to accept a
// value; learners count what was accepted. Every proposer proposes once, in a ballot of its own, and
// every step handles one message.
//
// Its state graph is a common benchmark of model checkers. Without faults, and with three acceptors
// and one learner, it has
//
//	proposers       states   transitions
//	        2       98,160       506,256
//	        3   47,387,132   354,909,009
//
// To stay that small, and canonical, services forget what they need no more.
package paxos
