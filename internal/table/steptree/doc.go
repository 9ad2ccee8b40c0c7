// Package steptree caches what handlers did, as decision trees.
//
// A handler is a function of its node's local state, the event, and the answers to its questions. For each pair of
// local state and event [Engine] keeps a tree. An inner node is a question: a choice, or an observation of room in
// a stream. A leaf is the next local state and the list of effects. A handler runs only if its tree has no leaf for
// the given answers. It runs on a private copy of the service and replays the earlier answers. A sample of the
// steps that were looked up is executed again and compared.
//
// The sets of messages that quorums take are cached by local state and inbox. They are MP-Basset's quorum
// transitions (Bokor, Kinder, Serafini, Suri, Efficient Model Checking of Fault-Tolerant Distributed Protocols, DSN
// 2011).
package steptree
