package stores

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Each reproduction of a finding fails in plain Go.
func TestCrashed(t *testing.T) {
	list, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, store := range list {
		out, err := exec.Command("go", "test", "-count=1", "./testdata/"+store.Name()).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "--- FAIL: TestCrashed") && !strings.Contains(string(out), "fatal error: fault") {
			t.Errorf("%s: %v: %s", store.Name(), err, out)
		}
	}
}
