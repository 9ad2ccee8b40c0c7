// Package sim describes what is checked, and executes it.
//
// A service is what a node runs: a [Service], whose handlers are called for each message, timer and start, run to completion, and change
// their own node's state only. They ask for everything else through an [Env]: to send, set timers, draw random values, read the
// clock, write to the disk. Nothing of that happens until the handler has returned, so that a step is a function of the
// node's state, the event, and the answers to the handler's questions, and can be executed again at will.
//
// A system is a [System] value: how many nodes there are, what they run, the [Network] between them (package netsim has datagrams
// and streams with their faults), what applications do on top of them ([Action]), which faults may strike, and what must
// hold. A check tries the orders of events, faults and answers that its strategy reaches, and evaluates what must hold in every state.
//
// A property is a [Property] that looks at one state of the whole system through a [View]. Always is safety: it holds in each state.
// Eventually is liveness: from each state, a state in which all such properties hold together stays reachable. Sometimes says
// whether the check came to what it is there for. What must hold over a history is for a [Monitor], which is told what services announce.
//
// # What a user needs
//
//   - [Service], and [Nop] to leave handlers out; [PeerErrorHandler] and [PeerReadyHandler] for streams
//   - [Env], with [Stream], [Disk], [Rand]; [NodeID]
//   - [System], [Action], [Timing], [Limits]
//   - [Property], [View], [Each], [EachArmed], [Nodes], [Closure]
//   - [Monitor]
//   - [StateRule] for types of a state that are not the user's own, as [IgnoreField] and [EncodeBy]
//
// Check a system in a test by package mctest, and one node by package simtest. All other types are what searches, the
// debugger and networks are built on: [World] executes steps, and nobody who writes a service needs it.
package sim
