// Package kernel executes systems one step at a time. Searches, replay, the debugger and live nodes are built on it.
//
// A [World] is a system in some state, by [NewWorld]. A [bench.Bench] executes parts of steps outside of any run, for
// the table engine (package internal/table). A [runner.Runner] runs nodes with an external network. All three use one
// [Machine], so that there is one semantics. The packages below need no machine: descriptions of steps, containment of
// checked code, properties, declarations of systems.
//
// # Files
//
//	world.go                                    World, the interface of both engines, and its Options
//	machine.go, local.go                        Machine; the local state of a node
//	setup.go, assemble.go                       makes a machine for a system
//	enabled.go, quorumstep.go                   lists enabled events and possible faults
//	execute.go, handler.go, apply.go            executes a step; Env, which records effects; carries them out
//	crash.go, crashfaults.go, closing.go        crashes and halts
//	programfaults.go                            faults of nodes that carry programs
//	timers.go, delays.go                        timers: which may fire, and the effects on others
//	clock.go, virtualtime.go                    readings of macetime; the virtual time that programs share
//	observe.go, propertyvalues.go               monitors; properties
//	components.go, checkpoint.go, snapshot.go   parts and copies of states
//	keys.go, messages.go                        names of events
//	tracing.go, calltrace.go                    what traces show
//	isolation.go, useafterreturn.go             services that share memory or run on
//
// # Packages
//
//	stepinfo                     the record of a step
//	declared, properties         what a system declares: actions, groups, quorums; values of properties
//	memdisk, delays              disks; bounded delays
//	contain, callsite, aliasing  checked code that does not return, its source lines, shared memory
package kernel
