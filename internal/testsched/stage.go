package testsched

import (
	"os"
	"strconv"
)

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
