package check

import "github.com/macemc/macemc/search"

// Exit statuses of the command line.
const (
	StatusOK           = 0 // nothing found within the bounds
	StatusViolation    = 1
	StatusUsage        = 2 // bad usage or input
	StatusInconclusive = 3
)

// Status is the exit status that tells of a verdict.
func Status(v search.Verdict) int {
	switch v {
	case search.OK:
		return StatusOK
	case search.Violation:
		return StatusViolation
	}
	return StatusInconclusive
}
