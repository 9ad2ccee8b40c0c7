package task

import (
	"regexp"
	"strings"
)

// RunPattern returns the pattern for go test -run that selects only the test of that name.
func RunPattern(test string) string {
	parts := strings.Split(test, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}
