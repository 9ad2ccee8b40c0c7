package explorer

import (
	"os"
	"strconv"
	"strings"

	"github.com/macemc/macemc/internal/testsched"
)

// These environment variables control this process, which explores the tests of a binary.
const (
	VariableSchedules  = "MACEMC_TEST_SCHEDULES"
	VariableTime       = "MACEMC_TEST_TIME"
	VariableDelay      = "MACEMC_TEST_DELAY"
	VariableExhaustive = "MACEMC_TEST_EXHAUSTIVE" // number of preemptions, or "all"; empty means that schedules are sampled
	VariableLeaks      = "MACEMC_TEST_LEAKS"      // "false" means that leaks are only noted
	VariableSchedule   = "MACEMC_TEST_SCHEDULE"   // file with the only schedule to execute
	VariableSummaries  = "MACEMC_TEST_SUMMARIES"  // folder for one file per package
	VariableCores      = "MACEMC_TEST_CORES"      // number of processor cores for the command
	VariableTags       = "MACEMC_TEST_TAGS"       // build tags
	VariableOutcome    = "MACEMC_TEST_OUTCOME"    // file for the outcome of the only schedule
	// VariableTrace selects parts of the outcome: "events", "states" (of goroutines, too), or "nearest" (also NearestFile).
	VariableTrace = "MACEMC_TEST_TRACE"
)

// variables are these variables. Test binaries do not get them.
var variables = []string{VariableSchedules, VariableTime, VariableDelay, VariableExhaustive, VariableLeaks, VariableSchedule,
	VariableSummaries, VariableCores, VariableTags, VariableOutcome, VariableTrace, testsched.VariableDebugged}

// PrintsKeys is added to GODEBUG to make the go command print the keys of cached results.
const PrintsKeys = ",gocachetest=1"

// commandInstant returns the instant at which runs of the command begin; 0 means unknown.
func commandInstant() uint64 {
	runs, _, _ := strings.Cut(os.Getenv(testsched.VariableInstant), ",")
	instant, _ := strconv.ParseUint(runs, 10, 64)
	return instant
}

// instants returns the value of VariableInstant for a process whose runs begin at an instant.
func instants(run uint64) string {
	_, command, _ := strings.Cut(os.Getenv(testsched.VariableInstant), ",")
	return strconv.FormatUint(run, 10) + "," + command
}
