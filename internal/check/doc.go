// Package check runs one check from start to report, for both the command line and go test. It confirms suspects of a
// search, isolates dangerous executions of checked code, describes the violating run and the nearest recovering one,
// and writes the output folder.
//
// # Files
//
//	run.go                              Run: the search, then the work on its finding
//	options.go, subject.go              what is checked, and how; a check in progress (checker)
//	confirm.go                          decides on a suspect while the search waits
//	critical.go                         the critical step of a run of a file
//	recurrence.go                       executes a finding again before it is reported
//	shrink.go, shrinkfile.go            minimizes the run of a finding, or of a file
//	keepgoing.go, known.go              searches that continue: duplicates, accepted findings
//	report.go, describe.go, assumed.go  fills in the report: traces, coverage, abstractions
//	report_process.go                   reports on a search process that died
//	write.go, files.go, header.go       the output folder and its path files
//	suspectfile.go                      the file of a suspect under examination
//	load.go, source.go                  replays a path file or a recording
//
// # Packages
//
//	exitcode     exit statuses, and which of several causes decides
//	isolate      processes of their own for searches and single runs
//	flight       the memory-mapped record of picks that survives a process
//	identity     recognizes a finding by its run
//	outfolder    folders of findings
//	defect       defects of the checker itself
//	walkweights  weights of random walks, as text
package check
