package program

import "testing"

// The title of a failed test is the last entry of its log.
func TestEntry(t *testing.T) {
	for log, want := range map[string]string{
		"": "",
		"    x_test.go:3: begins\n    x_test.go:4: wrong\n        in two lines\n":                                                                                                                                                    "x_test.go:4: wrong",
		"    x_test.go:4: \n        \tError Trace:\tx_test.go:4\n        \tError:      \tNot equal: \n        \t            \texpected: 1\n":                                                                                         "x_test.go:4: Not equal: expected: 1",
		"    x_test.go:4: \n        \tError:      \tReceived unexpected error:\n        \t            \texpired\n        \t            \ttoo late\n        \tTest:       \tTestX\n":                                                  "x_test.go:4: Received unexpected error: expired, too late",
		"    x_test.go:4: \n        \tError:      \tShould be true:\n        \tTest:       \tTestX\n":                                                                                                                                "x_test.go:4: Should be true:",
		"    x_test.go:4: \n        \tError Trace:\tx_test.go:4\n        \tError:      \tShould be true\n        \tTest:       \tTestX\n        \tMessages:   \tstream ended: EOF\n":                                                 "x_test.go:4: stream ended: EOF: Should be true",
		"    x_test.go:4: \n        \tError:      \tNot equal: \n        \t            \texpected: 1\n        \t            \tactual  : 2\n        \t            \t\n        \t            \tDiff:\n        \tMessages:   \ta gap\n": "x_test.go:4: a gap: Not equal: expected: 1, actual: 2",
		"    x_test.go:4: \n        first\n        second\n": "x_test.go:4: first",
	} {
		if got := Entry(log); got != want {
			t.Errorf("%q: %q, want %q", log, got, want)
		}
	}
}

func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"boom\nmore":                   "boom",
		"\n\nassert: mock: none\n\tOr": "assert: mock: none",
		"late: \n\tError Trace:\ta.go:7\n\tError:      \tNot equal: \n\t            \texpected: 1\n": "late: Not equal: expected: 1",
		"what: ": "what:", "\n\t\n\tpanicked": "panicked", "": "",
	} {
		if got := OneLine(text); got != want {
			t.Errorf("OneLine(%q) = %q, want %q", text, got, want)
		}
	}
}

// Equal messages of different runs have equal identities.
func TestGeneral(t *testing.T) {
	for message, want := range map[string]string{
		"got 5, want -12.5e3 after 1m3.5s":                                  "got N, want N after N",
		"pointer 0xc00001 and\n\tUUID 7c9e6679-7425-40de-944b-e07fc1f90ae7": "pointer N and UUID N",
		"commit 3f2a9c1b of the facade effaced":                             "commit N of the facade effaced",
		"open " + folders[0] + "/x.json":                                    "open DIR/x.json",
		"rounding is off":                                                   "rounding is off",
	} {
		if got := General(message); got != want {
			t.Errorf("%q: got %q, want %q", message, got, want)
		}
	}
}
