// Package steptree caches the outcomes of handlers, as decision trees.
//
// A handler is a function of its node's local state, the event, and the answers to its questions. For each pair of
// local state and event [Engine] keeps a tree. An inner node is a question: a choice, or an observation of room in
// a stream. A leaf is the next local state and the list of effects. A handler runs only if its tree has no leaf for
// the given answers. It runs on a private copy of the service and replays the earlier answers. A sample of the
// steps that were looked up is executed again and compared.
//
// [Engine.Walk] follows a tree to its leaf, and runs the handler if there is none. Package world calls it and applies
// the effects of the leaf to its vector. A leaf is independent of the rest of the state: whether a monitor or a full
// inbox refuses an effect is decided there. A handler that asks another question after the same answers is a finding of
// kind nondeterminism.
//
// The sets of messages that quorums take are cached by local state and inbox. They are MP-Basset's quorum
// transitions (Bokor, Kinder, Serafini, Suri, Efficient Model Checking of Fault-Tolerant Distributed Protocols, DSN
// 2011).
//
// # Files
//
//	engine.go     Engine; counters of its work
//	steps.go      looks a step up, or runs its handler and adds a leaf
//	questions.go  which answers to a question lead to the same branch
//	answers.go    enumerates all answers to the questions of a step
//	cuts.go       local states after crashes inside a step
//	quorums.go    the sets that the quorums of a node take of its inbox
//	verify.go     executes steps again, and compares them with their leaves
//	verdicts.go   cached verdicts of properties
//	callnotes.go  the number of a call of a handler, see options.Calls
package steptree
