// Package explorer explores the schedules of the tests of a binary. It draws schedules, makes processes of the binary execute them, and
// minimizes, confirms, stores and explains the first failing run.
//
// # Files
//
//	execute.go                             the binary and its stages
//	settings.go, variables.go              the settings, and what happens to a test
//	explore.go, directed.go                the loop over schedules, which package sampling draws
//	dealer.go                              schedules that are executed ahead, also by several processes
//	exhaustive.go, plans.go, leftovers.go  all schedules of a small test, which package systematic enumerates; goroutines that only some
//	                                       leave behind
//	subtests.go, specs.go                  tests that are explored by their subtests, or by their specs
//	process.go, death.go                   findings in new processes, and processes that die
//	replayed.go                            the schedule that the user gave
//	known.go, same.go                      findings that are known
//	prediction.go, delays.go               what was predicted; failures that need longer delays than usual
//	corpus.go                              stored findings, and commands that replay them; see package schedulefile
//	report.go, summary.go                  texts for the user; package summary passes them to the command
package explorer
