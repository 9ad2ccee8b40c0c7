// Package world implements kernel.World by looking steps up in tables.
//
// [World] holds a vector of component numbers and changes it by steps. Lists of enabled events are kept for each
// local state, inbox and connection, in the order of the replay engine. The replay engine executes a sample of the
// runs as well, and every step of these is compared.
//
// Random walks use a World by its interface, as they use one of package kernel. Package statespace uses a bare one:
// it restores vectors, takes steps and reads the next vector. A bare World keeps no list of enabled events and no
// last step. The rules of events and crashes are restated here, because package kernel applies them to services and
// this package to numbers. The order of enabled events must be that of the replay engine, since paths hold indices.
//
// # Files
//
//	world.go       World: how a run starts, when tables are dropped; fingerprints
//	enabled.go     which events and faults are enabled, and in which order
//	step.go        what a step does: what it takes from the network, which effects happen
//	failure.go     which nodes fail together, what a crash or halt makes of their states
//	quorums.go     the sets of messages that a node can take
//	check.go       whether properties hold; which local states a property reads
//	coverage.go    which messages, timers, actions and faults an exploration covered
//	crosscheck.go  executes sampled runs and single paths on the replay engine, and compares
//	verify.go      whether properties or quorums changed a state
//	describe.go    keys, labels and fields of events and nodes
package world
