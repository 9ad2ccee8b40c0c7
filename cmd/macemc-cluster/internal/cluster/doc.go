// Package cluster makes several processes search a system together, through a NATS server with JetStream. Candidate
// states travel over core NATS and may be lost. Accepted states are in a stream, and the progress of all workers is
// one key, changed by compare-and-swap. The protocol is the code of systems/superstep, which macemc itself has
// checked. This package has its store, network, timers and states.
//
// A [Search] creates a run on a [Server], waits for its end, and judges the states. A [Worker] takes part as a member:
// it expands the states of its parts, and sends successors to the owners of their parts. The logs hold all states of a
// committed superstep. Another member can therefore take the place of a lost one by reading the log.
//
// # Files
//
//	server.go                   Server: who may connect, what several servers store
//	run.go                      the stored data of a search: how it is created, committed and removed
//	log.go                      blocks of accepted states, which only grow
//	lease.go                    which member leads
//	worker.go                   Worker: which search it takes part in
//	member.go                   a member: its number, its messages and timers, when it leaves
//	env.go                      the environment of the protocol code: sends, timers, requests to the store
//	wire.go                     messages between members
//	data.go                     which states a member expands, sends and accepts
//	writes.go                   when accepted states are written, and a part is read again
//	archive.go                  reads states of any part from the logs
//	sample.go, disagreement.go  states expanded by two members for comparison; the error if they differ
//	supervise.go                working processes that checked code ended
//	search.go                   Search: begins a run, and waits for its end
//	conclude.go, judge.go       the result of a run; dead states
//	status.go                   progress; draining and aborting
package cluster
