// Package testsched defines schedules of a test, the outcomes of its runs, and the messages with which the explorer (internal/explorer)
// makes a process of a test binary execute schedules. Under a schedule, the changed runtime chooses the goroutines (decide.go and
// choose.go in internal/overlay/_source/tests/runtime). Most of the package is also part of test binaries: internal/overlay adds its
// source to the Go distribution. It may therefore import only the packages that package testing may.
//
// # Files
//
//	agent.go, messages.go, connection*.go, coder.go  the process of a test binary, and what passes between it and the explorer
//	schedule.go, systematic.go, runner.go, unit.go   schedules, and what executes them
//	switch.go                                        the parts of schedules that the runtime uses; it imports nothing
//	outcome.go, identity.go, leaks.go, printed.go    outcomes
//	frames.go, objects.go                            places and objects of the test's code
//	trace.go                                         texts about traces, which only the explorer needs
//	environment.go, record*.go                       the environment of the process; memory that outlives it
package testsched
