// Package explorer explores the schedules of the tests of a binary. It draws schedules, makes processes of the binary execute them, and
// minimizes, confirms, stores and explains the first failing run.
//
// # Files
//
//	execute.go, session.go, connection*.go  the binary, its processes and stages
//	settings.go, variables.go               the settings, and what happens to a test
//	explore.go, directed.go, schedule.go    the loop over schedules
//	exhaustive.go, plans.go, leftovers.go   all schedules of a small test; goroutines that only some leave behind
//	subtests.go, unit.go                    tests that are explored by their subtests
//	process.go, death.go                    findings in new processes, and processes that die
//	minimize.go, known.go, same.go          smaller schedules; findings that are known
//	corpus.go, lines.go, file.go            files of schedules
//	report.go, summary.go, place.go         texts for the user, and the source line of a finding
package explorer
