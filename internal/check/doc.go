// Package check runs one check from start to report, for both the command line and go test. It confirms suspects of a
// search, isolates dangerous executions of checked code, describes the violating run and the nearest recovering one,
// and writes the output folder.
package check
