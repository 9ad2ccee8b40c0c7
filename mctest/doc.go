// Package mctest checks systems inside go test.
//
//	func TestPingAck(t *testing.T) { mctest.Check(t, System) }
//
// [Check] searches, and [Replay] turns a found run into a regression test. "macemc search ./mysvc", and every other
// command that takes a system or a path file, also works on the systems that the tests of a package check.
//
// [Options], environment variables and flags change the behavior of a test, the later with precedence over the earlier.
// The variables are useful with "go test ./...", which passes flags to every package and fails in packages without
// mctest.
//
//	MACEMC_TIME        -macemc.time        duration of the search, such as 1m (default 5s; 1s with -short)
//	MACEMC_MAX_PATHS   -macemc.max-paths   maximum number of runs (default: no limit)
//	MACEMC_SEED        -macemc.seed        seed of the random walks (default 1)
//	MACEMC_WORKERS     -macemc.workers     number of concurrent runs (default: all cores)
//	MACEMC_STRATEGY    -macemc.strategy    a strategy of macemc search, such as bfs (default deepening)
//	MACEMC_SCHEDULES   -macemc.schedules   order of events in random walks, in turn, such as weighted,pos (default all)
//	MACEMC_INTERLEAVE  -macemc.interleave  goroutines of package bubble: rotate, fifo, random or pct:N (default rotate)
//	MACEMC_KEEP_GOING  -macemc.keep-going  true: continue after a violation, and report all distinct ones
//	MACEMC_PROOF       -macemc.proof       walks or exact: proof that a run never recovers (default walks)
//	MACEMC_REPLAY      -macemc.replay      a path file: show the steps of that run, with -v each, instead of searching
//	MACEMC_WRITE_TEST  -macemc.write-test  true: write a regression test for each finding
//	MACEMC_IN_PROCESS  -macemc.in-process  true: search in the process of the test, for example under a debugger
//	MACEMC_STRICT      -macemc.strict      true: Replay fails if its path no longer fits
//	MACEMC_NO_SKIP     -macemc.no-skip     true: fail, not skip, tests of package bubble without the modified runtime
//
// Seed and code determine the search; time and machine determine how far it gets. go test may show a passed test from
// its cache while code and variables are unchanged; -count=1 searches again.
package mctest

// The test's own process searches only on request. Otherwise it starts another one with the same test and flags
// (commands.go). That one has the role to search, and returns the text and the exit status, by which the first process
// passes, skips or fails the test. A process that was started for one check finds it by its number in the test
// (ordinal.go). The calls of a test must therefore come in the same order each time. Commands of macemc send an order
// to a test binary (internal/task), and the check with that identity executes it.
//
// The files of this package, for readers of its source:
//
//	check.go                          Check: which process does what; how a result ends the test
//	replay.go                         Replay: whether a run still violates what its file records
//	refines.go                        Refines: compares an implementation with an abstraction
//	settings.go                       settings: defaults, options, variables, flags
//	commands.go, ordinal.go           the commands that run the test again, for us and for users; the number of a check in its test
//	signals.go                        what a signal to the test does
//	writetest.go                      the source of a regression test
//	hooks_overlay.go, hooks_stock.go  ends an exploration of the test by macemc test
