// Package agents executes the schedules of a test in processes of its test binary. Each process has an agent (internal/testsched).
//
// # Files
//
//	binary.go, system_*.go  the binary, and how its processes start
//	session.go, runner.go   the connection to one process, and what it executes
//	death.go                what the output of a process that has died says about its run
//	pool.go, worker.go      several processes that share the schedules of a test
//	stopwatch.go            the processor time of an exploration
//	cores.go                the processor cores that are free for them
package agents
