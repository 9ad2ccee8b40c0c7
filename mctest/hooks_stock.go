//go:build !macemc_overlay

package mctest

const modified = false

// unexplored does nothing, as only "macemc test" explores tests.
func unexplored(string) {}

// userFolder returns an empty string, as go test does not tell the folder.
func userFolder() string { return "" }
