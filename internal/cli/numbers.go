package cli

import (
	"fmt"

	"github.com/macemc/macemc/check"
)

// numbers are flags with the least that can be given; what they are without being given may be less.
type numbers []struct {
	flag  string
	value int
	least int
}

func (all numbers) check(changed func(string) bool) error {
	for _, n := range all {
		if changed(n.flag) && n.value < n.least {
			return fmt.Errorf("--%s is %d, must be at least %d", n.flag, n.value, n.least)
		}
	}
	return nil
}

// walkNumbers are the flags of walks to find a critical transition.
func walkNumbers(o *check.CriticalOptions) numbers {
	return numbers{{"walks", o.Walks, 1}, {"walk-steps", o.WalkSteps, 1}, {"workers", o.Workers, 1}}
}
