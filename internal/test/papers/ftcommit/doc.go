// Package ftcommit is atomic commit over replicated participants, as machines (package machine).
//
// # Protocol
//
// Each coordinator has a transaction, and asks all participants to prepare it. A participant that has prepared
// another one refuses. When all have agreed the coordinator commits the transaction; otherwise it aborts it at
// those that agreed. Participants are functions of their operations, replicated by chain replication (package
// chain) with replicas that fail.
//
// # Source
//
// The fault-tolerant atomic commit of "Building Reliable Distributed Systems With P" (UCB/EECS-2015-198), which
// composes two-phase commit with state machine replication, and is checked in parts. With smr=single, the default,
// a single node (package smr) replaces each chain. "macemc refine ftcommit" compares both.
//
// # Simplifications
//
// Coordinators do not fail, and have one transaction each.
//
// # Properties
//
// Always: no transaction is committed by one participant and not agreed to, or aborted, by another. Coordinators
// assert that participants can execute their operations. Monitor: every operation is answered (hot). Eventually:
// every coordinator ends, and nothing is prepared then.
package ftcommit
