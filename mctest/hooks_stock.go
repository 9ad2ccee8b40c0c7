//go:build !macemc_overlay

package mctest

// unexplored does nothing, as only "macemc test" explores tests.
func unexplored(string) {}
