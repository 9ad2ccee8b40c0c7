package testsched

// VariableDebugged, if not empty, means that a debugger executes the only schedule. It is read where the tests are explored.
const VariableDebugged = "MACEMC_TEST_DEBUGGED"

// DebugAgain is the exit status of the debugger that asks for a new process of the test, with a new debugger.
const DebugAgain = 75

// repeats reports to the debugger whether the latest run had the outcome of the first one.
var repeats bool

// runBegins is where the debugger stops before each run.
//
//go:noinline
func runBegins() bool { return repeats }
