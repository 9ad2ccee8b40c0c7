// Package realnet runs the services that the checker checks, unchanged, on a real network.
//
// A [Node] runs one [sim.Service] in one event loop: datagrams over UDP, streams over TCP, timers in real time, the
// real clock, real randomness, and a disk in a file. Handlers follow the same local-step rule as in the checker and
// run in the same machine ([runner.Runner]): their effects are recorded during the call, and happen after it.
//
// The recordings of all nodes (Config.Record, package recording) form one run of the system, which the checker can
// execute.
//
// The node keeps the promises of the network model in package netsim. Messages of a stream arrive in order, and
// once or not at all. A stream accepts as many messages as the model's send buffer, counting those that the peer
// has not handled; only messages of machines wait without that bound, in memory (Config.MaxQueue). Each end that
// knows the connection as established is notified of its first loss. Messages to a node that is down are refused.
// One thing differs: what a node sent on streams before it crashed may arrive after others have noticed the crash.
// A merged run leaves out what the receiver does from then on, and says so.
//
// Nothing on the wire is authenticated or encrypted. A node listens on a loopback address unless Config.Public is
// set.
package realnet

// One goroutine, the event loop, owns the state of a [Node] and runs its handlers. Other goroutines accept, read and
// write sockets, and post items to the loop. Node.step runs a handler in kernel/runner, and records it. Its external
// effects wait for Node.commit: first the recording and the disk are passed to the operating system, and then datagrams
// and messages of streams leave. Nothing that others can observe precedes its record. A node that cannot record
// continues without. Each start of a node has an incarnation, the time of the start, by which peers recognize messages
// of an earlier one.
//
// The files of this package, for readers of its source:
//
//	config.go                              Config: its defaults and errors; the error of a full queue
//	node.go                                Node: when it boots and ends
//	loop.go                                which event is next, what a step does, when effects leave
//	calls.go                               calls from other goroutines: actions, freezing
//	link.go                                a stream to a peer: room, losses, reconnection
//	conn.go                                one TCP connection: its reader and writer
//	frame.go                               the format of frames and datagrams
//	receive.go                             sockets: which connections and datagrams are accepted
//	quorum.go                              which sets of messages a quorum takes
//	timers.go                              armed timers, by deadline
//	instants.go                            real times of the clock readings in the state
//	disk.go, disk_linux.go, disk_other.go  the disk in a file: its log, torn ends, locks
//	watchdog.go                            handlers that do not return
