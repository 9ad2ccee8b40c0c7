package testsched

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/testsched/program"
)

// These environment variables control a test binary. Only Variable enables exploration.
const (
	Variable             = "MACEMC_TEST" // seed
	VariableSchedules    = "MACEMC_TEST_SCHEDULES"
	VariableTime         = "MACEMC_TEST_TIME"
	VariableDelay        = "MACEMC_TEST_DELAY"
	VariableInstant      = "MACEMC_TEST_INSTANT"    // first clock reading of runs, a comma, and that of the command; in nanoseconds since 1970
	VariableExhaustive   = "MACEMC_TEST_EXHAUSTIVE" // number of preemptions, or "all"; empty means that schedules are sampled
	VariableModules      = "MACEMC_TEST_MODULES"    // comma-separated modules in whose packages functions of sync/atomic are scheduling points
	VariableLeaks        = "MACEMC_TEST_LEAKS"      // "false" means that leaks are only noted
	VariableSchedule     = "MACEMC_TEST_SCHEDULE"   // file with the only schedule to execute
	VariableSummaries    = "MACEMC_TEST_SUMMARIES"  // folder for one file per package
	variableOnly         = "MACEMC_TEST_ONLY"       // number of the only schedule to execute, in a process of its own
	variableLimit        = "MACEMC_TEST_LIMIT"      // Limit of that schedule
	VariablePackage      = "MACEMC_TEST_PACKAGE"    // import path of the package, if the go command was given files of it
	VariableTags         = "MACEMC_TEST_TAGS"       // build tags
	VariableOutcome      = "MACEMC_TEST_OUTCOME"    // file for the outcome of a process of its own
	variableSkipPatience = "MACEMC_TEST_HASTY"      // not empty means Settings.SkipPatience
	variableTimeout      = "MACEMC_TEST_TIMEOUT"    // flag -timeout of the process that has started this one
	VariableUser         = "MACEMC_TEST_USER"       // the user's values of Replaced, as lines NAME=VALUE
	// VariableTrace selects parts of the outcome: "events", "states" (of goroutines, too), or "nearest" (also NearestFile).
	VariableTrace = "MACEMC_TEST_TRACE"
)

// PrintsKeys is added to GODEBUG to make the go command print the keys of cached results.
const PrintsKeys = ",gocachetest=1"

// Replaced are the environment variables of the user that have other values in test binaries.
var Replaced = []string{"GODEBUG", "GOMAXPROCS", "GORACE"}

// variables are the environment variables of an exploring process.
var variables = []string{Variable, VariableSchedules, VariableTime, VariableDelay, VariableInstant, VariableExhaustive, VariableModules,
	VariableLeaks, VariableSchedule, VariableSummaries, variableOnly, variableLimit, VariablePackage, VariableTags, VariableOutcome,
	variableSkipPatience, variableTimeout, VariableUser, VariableTrace, VariableStage, variableStatus, variableExternal, VariableDied, program.VariableFolder}

// hidden are the environment variables of the checker, which tests do not see; nil means that they are not hidden.
var hidden map[string]string

// getenv returns the value of an environment variable of the checker. Cached results do not depend on it.
func getenv(name string) string {
	if hidden != nil {
		return hidden[name]
	}
	return os.Getenv(name)
}

// hideEnvironment makes the environment of an exploring process that of go test.
func hideEnvironment() {
	if _, explores := os.LookupEnv(Variable); !explores {
		return
	}
	hidden = map[string]string{}
	user, replaces := os.LookupEnv(VariableUser)
	for _, name := range variables {
		if value, ok := os.LookupEnv(name); ok {
			hidden[name] = value
			os.Unsetenv(name)
		}
	}
	if !replaces {
		return
	}
	lines := strings.Split(user, "\n")
	for _, name := range Replaced {
		i := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, name+"=") })
		if i < 0 {
			os.Unsetenv(name)
		} else {
			os.Setenv(name, lines[i][len(name)+1:])
		}
	}
}

// commandInstant returns the instant at which runs of the command begin; 0 means unknown.
func commandInstant() uint64 {
	runs, _, _ := strings.Cut(getenv(VariableInstant), ",")
	instant, _ := strconv.ParseUint(runs, 10, 64)
	return instant
}

// instants returns the value of VariableInstant for a process whose runs begin at an instant.
func instants(run uint64) string {
	_, command, _ := strings.Cut(getenv(VariableInstant), ",")
	return strconv.FormatUint(run, 10) + "," + command
}

// timeoutVariable returns the environment variable that passes the time limit to another process of the test binary.
func timeoutVariable(s *Settings) string {
	return variableTimeout + "=" + Timeout(s.flags.Timeout).String()
}

// Timeout returns the time limit of the test binary, given its flag.
func Timeout(flag time.Duration) time.Duration {
	if d, err := time.ParseDuration(getenv(variableTimeout)); err == nil {
		return d
	}
	return flag
}
