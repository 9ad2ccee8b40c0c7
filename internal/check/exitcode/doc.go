// Package exitcode defines the exit statuses of the command line and the signals that cause them.
//
// If several things happen in a search, the first of these rows that applies decides its status:
//
//	4         the checker has a defect, even if it has found something (internal/task/search_run.go)
//	1         something was found, even if a signal or a limit ended the search later (search.Conclude)
//	3         a suspect is open, whatever ended the search (search.Run; check.ReportLost if the search
//	          process died), or a finding could not be executed again in time (recur of internal/check)
//	130, 143  a signal ended the search (search.Conclude)
//	4         memory or disk ended the search (search.Conclude)
//	3         it completed no depth and no walk, or may have missed states because their fingerprints are equal
//	          (search.statesWithin), or judged no property (search.Conclude), or an abstraction is wrong
//	          (internal/check)
//	2, 4      the report could not be written (StatusError of internal/task)
//	0         otherwise
package exitcode
