package task

import (
	"fmt"
	"runtime"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/search/runs"
)

// number is a flag with the least value that can be given. The default may be less.
type number struct {
	flag  string
	value int
	least int
}

type numbers []number

// check returns an error for a given value that is too small, or for too many workers.
func (all numbers) check(given Given) error {
	for _, n := range all {
		if given.Has(n.flag) && n.value < n.least {
			return fmt.Errorf("--%s is %d, must be at least %d", n.flag, n.value, n.least)
		}
		if n.flag == "workers" && n.value > runs.MaxWorkers {
			return TooManyWorkers(n.value)
		}
	}
	return nil
}

// TooManyWorkers returns the error for more workers than are useful.
func TooManyWorkers(n int) error {
	return fmt.Errorf("--workers is %d, must be at most %d: each needs memory and 2 MB of temporary files, and more workers "+
		"than cores (%d) do not speed up the search", n, runs.MaxWorkers, runtime.NumCPU())
}

// walkNumbers returns the flags of walks that find a critical transition.
func walkNumbers(o *check.CriticalOptions) numbers {
	return numbers{{"walks", o.Walks, 1}, {"walk-steps", o.WalkSteps, 1}, {"workers", o.Workers, 1}}
}
