// Package cases runs random tests whose cases are expensive.
package cases

import (
	"flag"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// Check checks a property with n random cases instead of rapid's 100. Another number given by the user (RAPID_CHECKS)
// counts. The test must not run in parallel with others that use rapid.
func Check(t *testing.T, n int, property func(*rapid.T)) {
	t.Helper()
	if checks := flag.Lookup("rapid.checks").Value; checks.String() == "100" {
		if err := checks.Set(strconv.Itoa(n)); err != nil {
			t.Fatal(err)
		}
		defer checks.Set("100")
	}
	rapid.Check(t, property)
}
