// Package sim describes the systems that macemc checks: services, the network between them, faults, and properties.
//
// A system has a fixed number of nodes. Each node runs a [Service], an ordinary Go type with a handler for each kind of
// event:
//
//	// Counter counts messages and answers each with the count.
//	type Counter struct {
//		sim.Nop // handlers that do nothing
//		N int
//	}
//
//	func (c *Counter) Receive(env sim.Env, from sim.NodeID, msg any) {
//		c.N++
//		env.Send(from, c.N)
//	}
//
// Handlers run to completion and change the state of their own node only. Everything else goes through an [Env]: sending,
// setting timers, drawing random values, reading the clock, writing to the disk. Its effects happen after the handler has
// returned. A step is therefore a function of the node's state, the event, and the values that the Env returned, so the
// checker can execute it again at any time.
//
// A [System] value has the number of nodes, a function that returns their services, and the [Network] between them.
// Package netsim provides networks of datagrams and of streams. The value also has the operations of applications above
// the services ([Action]), the limits of faults, and the properties. A check executes the system many times under
// different orders of events, faults and random values, and evaluates the properties in every state. Call mctest.Check
// with the system in a Go test. Package simtest tests a single node.
//
// A [Property] is a predicate over one state of the whole system, which it reads through a [View]:
//
//   - Always must hold in every state. It expresses safety.
//   - Eventually must stay reachable: from every state, a state in which all such properties hold can be reached without
//     further faults. It expresses liveness.
//   - Inevitably must hold again and again in every fair infinite run.
//   - Sometimes should hold in some state. It shows that the check reached the states that matter.
//
// A [Monitor] checks a history. It receives the events that services announce.
//
// # For authors of services
//
//   - [Service], and [Nop] for handlers that do nothing; [Closer], [PeerErrorHandler] and [PeerReadyHandler] for streams
//   - [Env], with [Stream], [Disk], [Rand], [Generator]; [NodeID]; [ErrFull], [ErrRefused], [ErrReset]
//   - [System], [Action] ([AnyAction]) with weights up to [MaxWeight], [Disturbance] ([DisturbingTimers],
//     [DisturbingMessages], [DisturbingQuorums], [DisturbingBoots], [DisturbingErrors], [DisturbingHeals]),
//     [Quorum] ([AnyQuorum], [From], [QuorumProperty]), [Limits] for each [Fault] ([ParseFault]) up to [MaxFaults], [Timing]
//     ([Bounded], [SometimesBounded], [BoundedLiveness]), [Clocks], [Interleave], [CrashCut], [Abstraction]
//   - [Property], [View], [Each], [Any], [EachArmed], [Nodes]; [AssertionProperty]
//   - [Monitor], [MonitorName]; [Obliged] and [Obligation] for monitors of events that must happen
//   - [StateRule] for types of the state that belong to other packages: [IgnoreField], [EncodeBy], [CopyBy], [ShowBy],
//     [ByElements], [MethodByName]
//   - [Finding], [FindingKind], [FindingCause]: a violation that a check found
//   - [Enter], [Frame] to show calls between the services of a node in traces
//
// Of networks, services see [Network] and [Envelope], with its [MessageID].
package sim

// This package has types and their validation, and executes no system. Package kernel implements Env and decides on the
// order of events, whose kinds are in internal/eventkind. Package netsim implements networks by internal/netmodel. Words
// of faults and fields are part of path files, JSON and flags, so a rename breaks stored files. The engines reach
// unexported data of this package only through internal/simhook, and services offer more to the engines through
// internal/simext.
//
// The files of this package, for readers of its source:
//
//	system.go                  System, its faults with their words, and its validation
//	timing.go, limits.go       which timers may fire; how many faults happen
//	service.go                 Service: the handlers of a node
//	env.go                     Env: what a handler can request
//	finding.go                 kinds and causes of violations
//	property.go, view.go       predicates over states; what they can read
//	monitor.go, obligation.go  monitors of announced events; what they wait for
//	action.go                  operations of applications, and their weights
//	quorum.go                  handlers that take sets of messages
//	disturbance.go             events that are excluded from recovery
//	containers.go              which nodes share a process, and so crash together
//	crashcut.go                which effects of a step survive a crash inside it
//	clocks.go                  how far the clocks of programs differ
//	interleave.go              orders of the goroutines of programs
//	abstraction.go             a simpler system in place of a part
//	rule.go                    rules for encoding, copying and showing types
//	network.go                 Network; a message in flight
//	call.go                    calls between the services of a node, for traces
