// Package search explores a system. It contains the exploration loop, the strategies that direct it, and the coverage.
// It reports what it found. The caller confirms suspected liveness violations, through [Config].Confirm.
//
// Strategies that execute runs divide them into units. Workers execute the units of a round in parallel, and the results
// are merged in the order of the units, so that they do not depend on the number of workers. Strategies that visit
// states hand the system to package internal/table.
//
// # Files
//
//	search.go                          Run; run, the loop over rounds
//	config.go                          Config; the options, their defaults and rules
//	strategies.go                      how the strategies of package strategy are executed
//	rotation.go                        which walk gets which schedule
//	source.go, unit.go, tally.go       units of work and where they come from; their counters
//	round.go, worker.go                executes units; watches that handlers return
//	merge.go                           merges units, confirms suspects
//	confirming.go                      shares of the time limit for confirming and reporting
//	leakedgoroutines.go                goroutines that handlers left running at the end
//	stateful.go, shortest.go           strategies that visit states; whether a shorter violation exists
//	hang.go                            a handler that does not return while states are visited
//	fair.go, fairwalks.go              infinite fair runs
//	result.go, verdict.go              Suspect, Result and Verdict; whether the coverage suffices
//	sampled.go, novelty.go             sampled choices; runs with new behavior
//	reach.go                           progress of deepening, so that a later search continues
//	weights.go                         weights of events
//
// Its counters and reasons to end are in internal/search/stats, its time limits in internal/budget.
package search
