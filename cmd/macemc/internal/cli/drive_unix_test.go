//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"testing"
)

// If the process of the tests is killed while a finding is shrunk, the finding keeps its exit status and its file is named.
func TestDrive_Killed(t *testing.T) {
	dir := testModule(t)
	found, sign := filepath.Join(dir, "found"), filepath.Join(t.TempDir(), "sign")
	t.Setenv("SLOW_FOUND", filepath.Join(found, "error.path"))
	t.Setenv("SLOW_SIGN", sign)
	go func() {
		await(t, sign)
		text, err := os.ReadFile(sign)
		if err != nil {
			t.Error(err)
		}
		if pid, err := strconv.Atoi(string(text)); err != nil || pid <= 1 || syscall.Kill(pid, syscall.SIGKILL) != nil {
			t.Errorf("no process %q to kill", text)
		}
	}()
	out, status := runHere(t, dir, "search", "./slow", "--tags", "check", "--strategy", "walk", "--out", "found")
	if !regexp.MustCompile(`signal: killed; what was found before is in \S*found/error.path`).MatchString(out) || status != 1 {
		t.Errorf("exit status %d, want 1 and the file of the finding:\n%s", status, out)
	}
	if out, status := runHere(t, dir, "replay", "found/error.path", "--tags", "check"); status != 1 {
		t.Errorf("replay: exit status %d, want 1:\n%s", status, out)
	}
}
