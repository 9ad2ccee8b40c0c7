// Package audit records the results of handlers and monitors, as content hashes, and compares them with a log.
//
// The hashes are the same in every process. An exploration that resumes from a log executes the steps again
// that added entries to the tables. If the result of one of them differs from the log, the checked code has
// changed, and [Log.Err] names the difference.
package audit
