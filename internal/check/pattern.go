package check

import (
	"regexp"
	"strings"
)

// RunPattern is the pattern, as of go test -run, that selects the one test of that name.
func RunPattern(test string) string {
	parts := strings.Split(test, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}
