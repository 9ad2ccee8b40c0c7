// Package ftcommit is atomic commit over participants that are replicated, as machines (package machine).
//
// # Protocol
//
// Each coordinator has a transaction, and asks all participants to prepare it. A participant that holds another one prepared refuses.
// When all have agreed the coordinator has it committed, else aborted, by all that agreed. What is replicated is the participant as
// a function of its operations; what replicates it is chain replication (package chain), with replicas that fail.
//
// # Source
//
// The fault-tolerant atomic commit of "Building Reliable Distributed Systems With P" (UCB/EECS-2015-198), which composes two-phase
// commit with state machine replication, and is checked in parts: with smr=single, the default, a single node (package smr) stands for each
// chain. "macemc refine ftcommit" compares both.
//
// # Simplifications
//
// Coordinators do not fail, and have one transaction each.
//
// # Properties
//
// Always: no transaction is committed by one participant and not agreed to, or aborted, by another. Coordinators assert that participants can do what they are
// told. Monitor: every operation is answered (hot). Eventually: every coordinator comes to an end, and nothing is prepared then.
package ftcommit
