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
