package task

import (
	"fmt"
	"runtime"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/search"
)

// number is a flag with the least that can be given; what it is without being given may be less.
type number struct {
	flag  string
	value int
	least int
}

type numbers []number

// check says which of those that were given are too small, or too many workers.
func (all numbers) check(given Given) error {
	for _, n := range all {
		if given.Has(n.flag) && n.value < n.least {
			return fmt.Errorf("--%s is %d, must be at least %d", n.flag, n.value, n.least)
		}
		if n.flag == "workers" && n.value > search.MaxWorkers {
			return TooManyWorkers(n.value)
		}
	}
	return nil
}

// TooManyWorkers is the error for more workers than are of use.
func TooManyWorkers(n int) error {
	return fmt.Errorf("--workers is %d, must be at most %d: each needs memory and 2 MB of temporary files, and more workers "+
		"than cores (%d) do not speed up the search", n, search.MaxWorkers, runtime.NumCPU())
}

// walkNumbers are the flags of walks to find a critical transition.
func walkNumbers(o *check.CriticalOptions) numbers {
	return numbers{{"walks", o.Walks, 1}, {"walk-steps", o.WalkSteps, 1}, {"workers", o.Workers, 1}}
}
