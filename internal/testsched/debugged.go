package testsched

// DebugAgain is the exit status of the debugger that asks for a new process of the test, with a new debugger.
const DebugAgain = 75

// repeats reports to the debugger whether the latest run had the outcome of the first one.
var repeats bool

// runBegins is where the debugger stops before each run.
//
//go:noinline
func runBegins() bool { return repeats }
