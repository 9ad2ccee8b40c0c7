// Package program reads what the test binary that it is a part of consists of and was started with. Like package testsched, it is added to
// the Go distribution.
//
// # Files
//
//	variables.go  package variables
//	frame.go      what the frames of stacks belong to
//	source.go     lines of source files, and what identifies them
//	operand.go    the text of an operand in a line; it does not parse files, because it is part of every test binary
//	race.go       the output of the race detector
//	names.go      names of tests and specs in patterns; texts that can be printed
//	message.go    messages of panics and failed tests, and what differs between runs in them
//	operation.go  operations with a scheduling point
//	processor_unix.go, processor_other.go: the processor time of the process
package program
