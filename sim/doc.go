// Package sim says what is checked: services, systems, and what must hold.
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
// Eventually is liveness: from each state, a state in which all such properties hold together stays reachable. Inevitably says
// that what is fair comes there by itself, again and again. Sometimes says whether the check came to what it is there for. What must hold over a history is for a [Monitor], which is told what services announce.
//
// # What a user needs
//
//   - [Service], and [Nop] to leave handlers out; [Closer], [PeerErrorHandler] and [PeerReadyHandler] for streams
//   - [Env], with [Stream], [Disk], [Rand], [Generator]; [NodeID]; [ErrFull], [ErrRefused], [ErrReset]
//   - [System], [Action] ([AnyAction]) with weights up to [MaxWeight], [Disturbance] ([Disturbing], [DisturbingOf]),
//     [Quorum] ([AnyQuorum], [From], [QuorumProperty]), [Limits] for each [Fault] ([ParseFault]) up to [MaxFaults], [Timing] ([Bounded], [BoundedLiveness], [ParseTiming]), [Clocks] ([MaxOffset], [MaxDrift]), [Interleave] ([ParseInterleave]), [CrashCut] ([ParseCrashCut], [MostCut]), [Abstraction]
//   - [Property], [View], [Each], [EachArmed], [Nodes]; [AssertionProperty]
//   - [Monitor], [MonitorName]; [Obliged] and [Obligation] for what must happen
//   - [StateRule] for types of a state that are not the user's own: [IgnoreField], [EncodeBy], [CopyBy], [ShowBy], [ByElements],
//     [MethodByName], [AcrossPrograms]; [StateError]
//   - [Finding], [FindingKind], [FindingCause]: what a check ends with
//   - [Enter], [Frame], [CallTracer] for services within a service, whose calls traces show
//
// Check a system in a test by package mctest, and one node by package simtest. Nobody who writes a service needs the rest. What
// executes systems is in package kernel, below this one; what kinds of services may say of themselves that host others in package host.
//
// # What networks are made of
//
// [Network], [NetHost], [NetModel], [NetRest], [Parted], [Queued], [Envelope], [QueuedEnvelope], [Message], [MessageID],
// [Delivery], [Datagram], [Connection], [ConnectionEnd], [Fate], [Event], [EventKind] ([ParseEventKind]), [Field], [Fingerprint].
package sim
