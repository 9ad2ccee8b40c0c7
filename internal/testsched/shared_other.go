//go:build !unix

package testsched

// shared returns memory for n switches that is the content of a new file; nil means that there is none.
func shared(file string, n int) []Switch { return nil }
