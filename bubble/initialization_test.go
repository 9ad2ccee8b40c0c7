//go:build macemc_overlay

package bubble_test

import (
	crypto "crypto/rand"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// initialDraws holds random numbers of package initialization.
var initialDraws = fmt.Sprint("drawn ", crypto.Text(), rand.Uint64(), "\n")

// Packages draw the same random numbers when they are initialized in another process, so that the runs of programs that use these can be
// executed there.
func TestInitialization_Random(t *testing.T) {
	const child = "MACEMC_TEST_DRAWN"
	if os.Getenv(child) != "" {
		fmt.Print(initialDraws)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestInitialization_Random$")
	cmd.Env = append(os.Environ(), child+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), initialDraws) {
		t.Errorf("%v: %s, and here %s", err, out, initialDraws)
	}
	if crypto.Text() == crypto.Text() {
		t.Error("random numbers repeat after initialization")
	}
}
