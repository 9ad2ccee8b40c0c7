// Package mctest checks systems inside go test.
//
//	func TestPingAck(t *testing.T) { mctest.Check(t, System) }
//
// [Check] searches, and [Replay] is a regression test from a run that was found. "macemc search ./mysvc", and
// every other command that takes a system or a path file, works on the systems that the tests of a
// package check, too.
//
// What a test does can be changed by [Options], by variables of the environment, and by flags, of which
// later ones have precedence. "go test ./..." hands flags to every package and ends in those that do not
// use mctest, so there the variables are for.
//
//	MACEMC_TIME        -macemc.time        how long to search, as in 1m (default 5s; 1s with -short)
//	MACEMC_MAX_PATHS   -macemc.max-paths   how many runs to execute at most (default: no limit)
//	MACEMC_SEED        -macemc.seed        seed of the random walks (default 1)
//	MACEMC_WORKERS     -macemc.workers     how many runs go on at a time (default: all cores)
//	MACEMC_STRATEGY    -macemc.strategy    deepening, walk, faulty, bfs or dfs (default deepening)
//	MACEMC_SCHEDULES   -macemc.schedules   how random walks order events, in turn, as weighted,pos (default all)
//	MACEMC_INTERLEAVE  -macemc.interleave  rotate, fifo, random or pct:N: how goroutines take turns, in systems of package bubble (default rotate)
//	MACEMC_KEEP_GOING  -macemc.keep-going  true: go on after a violation, and report the different ones
//	MACEMC_PROOF       -macemc.proof       walks or exact: what shows that a run never recovers (default walks)
//	MACEMC_REPLAY      -macemc.replay      a path file: execute that run and show every step instead of searching
//	MACEMC_WRITE_TEST  -macemc.write-test  true: write a regression test for what is found
//	MACEMC_IN_PROCESS  -macemc.in-process  true: search in the process of the test, as for a debugger
//	MACEMC_STRICT      -macemc.strict      true: Replay fails when its path does not fit any more
//	MACEMC_NO_SKIP     -macemc.no-skip     true: fail tests of package bubble in a binary without the changed runtime, which skips them else
//
// Seed and code decide what a search does, time and machine how far it comes. go test may show a passed test from
// its cache as long as code and variables stay the same; -count=1 searches again.
package mctest
