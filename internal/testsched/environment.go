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
	Variable        = "MACEMC_TEST"
	VariableAgent   = "MACEMC_TEST_AGENT" // descriptor of the connection to the explorer
	VariableInstant = program.VariableInstant
	VariableModules = "MACEMC_TEST_MODULES" // comma-separated modules in whose packages functions of sync/atomic are scheduling points
	VariablePackage = "MACEMC_TEST_PACKAGE" // import path of the package, if the go command was given files of it
	VariableTimeout = "MACEMC_TEST_TIMEOUT" // flag -timeout of the process that explores the test, if this is another one
	VariableUser    = "MACEMC_TEST_USER"    // the user's values of Replaced, as lines NAME=VALUE
	// VariableAlone means that the process executes one schedule: "shown", or "passed" if another process shows its outcome.
	VariableAlone = "MACEMC_TEST_ALONE"
)

// Replaced are the environment variables of the user that have other values in test binaries.
var Replaced = []string{"GODEBUG", "GOMAXPROCS", "GORACE"}

// variables are the environment variables of a process that executes schedules.
var variables = []string{Variable, VariableAgent, VariableInstant, VariableModules, VariablePackage, VariableTimeout, VariableUser,
	VariableAlone, VariableStage, VariableStatus, program.VariableFolder}

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

// Timeout returns the time limit of the test binary, given its flag.
func Timeout(flag time.Duration) time.Duration {
	if d, err := time.ParseDuration(getenv(VariableTimeout)); err == nil {
		return d
	}
	return flag
}

// Alone reports whether the process executes one schedule.
func Alone() bool { return getenv(VariableAlone) != "" }

// Passes reports whether this process executes one schedule, whose outcome another process shows.
func Passes() bool { return getenv(VariableAlone) == "passed" }

// UserFolder returns the folder of the user's command.
func UserFolder() string { return getenv(program.VariableFolder) }

// A test binary executes in up to three stages, in one process after another. The runs of the first stage begin with the test. It postpones
// tests that use what packages or TestMain have started. The runs of the second stage begin with the initialization of packages. The
// third one executes tests that no stage could explore, as go test does.
const (
	VariableStage  = "MACEMC_TEST_STAGE"  // StageBegin, StagePlain, or empty
	VariableStatus = "MACEMC_TEST_STATUS" // of earlier stages

	StageBegin = "begin"
	StagePlain = "plain"
)

var stage, status = os.Getenv(VariableStage), os.Getenv(VariableStatus)

// Begins reports whether each run initializes packages and executes TestMain.
func Begins() bool { return stage == StageBegin }

// Plain reports whether tests are executed as go test does.
func Plain() bool { return stage == StagePlain }

// Status returns the status of earlier stages.
func Status() int {
	n, _ := strconv.Atoi(status)
	return n
}
