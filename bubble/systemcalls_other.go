//go:build !linux || (!amd64 && !arm64)

package bubble

// interceptCalls does nothing: system calls of programs reach the machine.
func interceptCalls() {}
