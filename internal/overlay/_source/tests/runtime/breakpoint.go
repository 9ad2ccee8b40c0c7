// The place where a debugger stops a run.

package runtime

// macemcBreakAt is the number of the operation before which a debugger stops the run (macemcTestRun.executed). The debugger writes it. 0
// means none.
var macemcBreakAt uint64

// macemcBreak is where the breakpoint of the debugger is.
//
//go:noinline
func macemcBreak() {}
