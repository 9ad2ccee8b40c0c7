package search

import (
	"slices"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/internal/stacks"
)

// blocked reports whether the handler of some worker waits for another goroutine. The check stops all goroutines, so it
// is not made at each tick.
func blocked(ticks int) bool {
	const each = 8
	if ticks%each != 0 {
		return false
	}
	await := stacks.Name(simext.AwaitProgram)
	return slices.ContainsFunc(stacks.Running(), func(g stacks.Goroutine) bool {
		return g.Waits() && g.Calls(kernel.HandlerCaller) && !g.Calls(await)
	})
}
