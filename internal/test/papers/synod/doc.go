// Package synod is single-decree Paxos as modeled by the papers on reduction, with proposers, acceptors and
// learners. It differs from package paxos in what makes its state graph larger: proposers continue to count after
// they have written, replies contain their ballot, and learners count beyond the majority.
//
// # Source
//
// Bokor, Kinder, Serafini, Suri, "Efficient Model Checking of Fault-Tolerant Distributed Protocols" (DSN-DCCS
// 2011), figure 3, for the protocol and for Faulty Paxos (SY1); Saissi, Bokor, Serafini, Suri, "To Crash or Not To
// Crash" (2013), for Faulty Paxos 2 (SY2). The paper does not define it: here acceptors accept below their promise.
//
// # Simplifications
//
//   - Every proposer proposes once, in a ballot of its own.
//   - An acceptor writes its state to disk before it sends it, so it may crash; the papers' nodes stay down.
//   - Messages are counted regardless of the sender: the network must not duplicate datagrams.
//
// # Properties
//
// Always: agreement, no two values are chosen. Sometimes: a value is chosen.
//
// With the defaults it has 126,910 states.
package synod
