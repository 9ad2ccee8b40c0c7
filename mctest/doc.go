// Package mctest checks systems inside go test.
//
//	func TestPingAck(t *testing.T) { mctest.Check(t, System) }
//
// These variables of the environment change what a test does:
//
//	MACEMC_TIME     how long to search, as in "1m" (default 5s; 1s with -short)
//	MACEMC_SEED     seed of the random walks (default 1)
//	MACEMC_WORKERS  how many runs go on at a time (default: all cores)
//	MACEMC_REPLAY   a path file: execute that run and show every step instead of searching
package mctest
