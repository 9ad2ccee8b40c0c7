package program

import "testing"

// The title of a failed test is the last entry of its log.
func TestEntry(t *testing.T) {
	for log, want := range map[string]string{
		"": "",
		"    x_test.go:3: begins\n    x_test.go:4: wrong\n        in two lines\n":                                                            "x_test.go:4: wrong",
		"    x_test.go:4: \n        \tError Trace:\tx_test.go:4\n        \tError:      \tNot equal: \n        \t            \texpected: 1\n": "x_test.go:4: Error: Not equal:",
		"    x_test.go:4: \n        first\n        second\n":                                                                                 "x_test.go:4: first",
	} {
		if got := Entry(log); got != want {
			t.Errorf("%q: %q, want %q", log, got, want)
		}
	}
}
