// Package audit records what handlers and monitors did, as hashes of content, and compares it with a log.
//
// The hashes are the same in every process. An exploration that resumes from a log executes the steps again
// that added entries to the tables. Where one of them does something else than the log records, the checked
// code has changed, and [Log.Err] names what differs.
package audit
