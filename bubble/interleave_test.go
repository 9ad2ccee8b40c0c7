//go:build macemc_overlay

package bubble_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/macemc/macemc/mctest"
)

// inner is set in the environment of a process that runs a test for another test.
const inner = "MACEMC_TEST_INNER"

func TestTwoRequests(t *testing.T) {
	if os.Getenv(inner) == "" {
		t.Skip("for TestInterleave_Flag")
	}
	mctest.Check(t, twoRequests.system(true))
}

// Two requests overlap by default and with random schedules, but not with FIFO scheduling.
func TestInterleave_Flag(t *testing.T) {
	for flag, found := range map[string]bool{"": true, "-macemc.interleave=random": true, "-macemc.interleave=fifo": false} {
		args := []string{"-test.run=^TestTwoRequests$", "-macemc.max-paths=500"}
		if flag != "" {
			args = append(args, flag)
		}
		cmd := exec.Command(os.Args[0], args...)
		cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), inner+"=1")
		if out, err := cmd.CombinedOutput(); (err != nil) != found {
			t.Errorf("%q: %v, want a violation: %v\n%s", flag, err, found, out)
		}
	}
}
