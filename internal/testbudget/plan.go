// Package testbudget shares out the exploration time of a command among the tests of its packages.
//
// The command writes a [Plan]. Each process that explores the tests of a package opens it as a [Ledger], which the processes share.
//
// # Files
//
//	plan.go      the plan, and how it shares time
//	ledger.go    what tests have used
//	planner.go   which tests promise most, by the records of earlier commands
//	packages.go  the tests of packages, and what they depend on
package testbudget

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Plan lists the tests of a command.
type Plan struct {
	Total time.Duration // of all tests; 0 means no limit
	Each  time.Duration // maximum of a test; 0 means no limit
	Tests []Test
}

// Test is a test function in a plan.
type Test struct {
	Package, Name string
	Rank          int           // tests with a lower rank are served first
	Weight        float64       // share among the tests of a rank
	Need          time.Duration // expected use without a limit for all tests
	Guess         bool          // no command has explored the test yet
}

func planFile(dir string) string { return filepath.Join(dir, "plan") }

// Write writes the plan to a folder.
func (p *Plan) Write(dir string) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return os.WriteFile(planFile(dir), text, 0o666)
}

// fill shares out time among tests in proportion to their weights, and none gets more than its need. The result is the time per weight;
// enough means that there is enough for all.
func fill(left time.Duration, tests []Test) (perWeight float64, enough bool) {
	rate := func(t Test) float64 { return float64(t.Need) / t.Weight }
	slices.SortFunc(tests, func(a, b Test) int { return cmp.Compare(rate(a), rate(b)) })
	weights, rest := 0.0, float64(max(0, left))
	for _, t := range tests {
		weights += t.Weight
	}
	for _, t := range tests {
		if float64(t.Need)*weights > rest*t.Weight {
			return rest / weights, false
		}
		rest -= float64(t.Need)
		weights -= t.Weight
	}
	return 0, true
}
