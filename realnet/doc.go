// Package live runs the services that the checker checks on a real network, unchanged.
//
// A [Node] runs one [sim.Service] in one event loop: datagrams over UDP, streams over TCP, timers by
// their durations, the real clock, real randomness, and a disk in a file. Handlers follow the same
// local-step rule as in the checker and run in the same machine ([runner.Runner]): their effects are
// recorded while they run, and happen after they have returned.
//
// A node that records (Config.Record, package recording) can be brought back into the checker: the
// recordings of all nodes are one run of the system.
//
// What the network model of package netsim promises is kept: messages of a stream arrive in order and
// once or not at all; a stream takes as many messages as the model's send buffer, counting those that
// the peer has not handled, but for what machines send, which waits in memory (Config.MaxQueue); the first loss of a connection is told to each end that knows the
// connection as established; what is sent to a node that is down is refused.
//
// Nothing on the wire is authenticated or encrypted. A node listens on a loopback address unless it is
// told otherwise.
package realnet
