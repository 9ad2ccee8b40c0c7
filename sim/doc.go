// Package sim defines what users write to have a system checked: services, systems and properties.
//
// A node runs a [Service]. Its handlers are called for each message, timer and start. They run to completion and change
// their own node's state only. For everything else they use an [Env]: to send, set timers, draw random values, read the
// clock, or write to the disk. These effects happen after the handler has returned. A step is therefore a function of
// the node's state, the event, and the answers that the handler received, and can be executed again at any time.
//
// A [System] value holds the number of nodes, their services, and the [Network] between them (package netsim has
// datagrams and streams with their faults). It also holds what applications do on top of the services ([Action]), the
// faults that may strike, and the properties. A check explores the orders of events, faults and answers that its
// strategy reaches, and evaluates the properties in every state.
//
// A [Property] looks at one state of the whole system through a [View]. Always is safety: it holds in each state.
// Eventually is liveness: from each state, a state in which all such properties hold together stays reachable.
// Inevitably holds again and again in every fair infinite run. Sometimes reports whether the check reached the states
// that it is meant to reach. A property of a history is a [Monitor], which receives the events that services announce.
//
// # What a user needs
//
//   - [Service], and [Nop] to leave handlers out; [Closer], [PeerErrorHandler] and [PeerReadyHandler] for streams
//   - [Env], with [Stream], [Disk], [Rand], [Generator]; [NodeID]; [ErrFull], [ErrRefused], [ErrReset]
//   - [System], [Action] ([AnyAction]) with weights up to [MaxWeight], [Disturbance] ([Disturbing], [DisturbingOf]),
//     [Quorum] ([AnyQuorum], [From], [QuorumProperty]), [Limits] for each [Fault] ([ParseFault]) up to [MaxFaults],
//     [Timing] ([Bounded], [BoundedLiveness], [ParseTiming]), [Clocks] ([MaxOffset], [MaxDrift]), [Interleave]
//     ([ParseInterleave]), [CrashCut] ([ParseCrashCut], [MostCut]), [Abstraction]
//   - [Property], [View], [Each], [EachArmed], [Nodes]; [AssertionProperty]
//   - [Monitor], [MonitorName]; [Obliged] and [Obligation] for events that must happen
//   - [StateRule] for types of a state that the user does not own: [IgnoreField], [EncodeBy], [CopyBy], [ShowBy],
//     [ByElements], [MethodByName], [AcrossPrograms]; [StateError]
//   - [Finding], [FindingKind], [FindingCause]: a violation that a check found
//   - [Enter], [Frame], [CallTracer] to show calls between the services of a node in traces
//
// Check a system in a test with package mctest, and one node with package simtest. Authors of services need nothing
// else. Package internal/kernel executes systems. Package internal/simext declares optional interfaces of services that
// host other programs.
//
// # For network models
//
// [Network], [NetHost], [NetModel], [NetRest], [Parted], [Queued], [Envelope], [QueuedEnvelope], [Message], [MessageID],
// [Delivery], [Datagram], [Connection], [ConnectionEnd], [Fate], [Event], [EventKind] ([ParseEventKind]), [Field], [Fingerprint].
package sim
