// Package synod is single-decree Paxos as the papers on reduction model it, by proposers, acceptors and learners. It differs from
// package paxos in what makes its state graph larger: proposers go on counting after they have written, replies name their
// ballot, and learners count past the majority.
//
// # Source
//
// Bokor, Kinder, Serafini, Suri, "Efficient Model Checking of Fault-Tolerant Distributed Protocols" (DSN-DCCS 2011), figure 3, for
// the protocol and for Faulty Paxos (SY1); Saissi, Bokor, Serafini, Suri, "To Crash or Not To Crash" (2013), for Faulty Paxos 2
// (SY2), which the paper does not define: here acceptors accept below their promise.
//
// # Simplifications
//
//   - Every proposer proposes once, in a ballot of its own.
//   - What an acceptor knows is on its disk before anybody hears of it, so that it may crash; the papers' nodes stay down.
//   - Messages are counted, whoever sends them: the network must not duplicate datagrams.
//
// # Properties
//
// Always: agreement, no two values are chosen. Sometimes: a value is chosen.
//
// With the defaults it has 126,910 states.
package synod
