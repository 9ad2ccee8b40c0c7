// Package gotest implements the command that runs go test with the changed runtime, and executes the schedules that it
// finds.
//
// A [Runner] prepares the overlay and calls go test. The go command starts the test binaries by this program, with the command
// exec: package explorer explores their tests there. It gets its settings as environment variables, and writes lines about
// each test into a folder. This package reads these lines, adds them to the output of go test, and decides on the exit status.
// A finding is a file with a schedule. Replay, graphs and the debugger execute the test again under that schedule.
//
// # Files
//
//	command.go            macemc test: how go test is called
//	flags.go              arguments of go commands, and flags of the exploration
//	exec.go               how the go command starts this program for a test binary
//	console.go            output and progress on one terminal
//	exploration.go        an exploration, and the variables of the environment for it
//	summary.go, notes.go  what is printed about each package and test; the exit status
//	packagesummary.go     what the tests of a package add up to
//	results.go            JUnit, SARIF and other formats for other programs
//	resultkeys.go         summaries of packages whose results go test has cached
//	replay.go             the graph and the page of a schedule, see package runview
//	debug.go              the debugger on a test: runs with one more switch
//	findings.go           the newest finding of a module
//	doctor.go, help.go    macemc doctor; help of macemc test
package gotest
