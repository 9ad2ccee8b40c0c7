//go:build unix

package scratch

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

const holdVar = "SCRATCH_TEST_HOLD"

// TestHold is the process that holds a folder in the test below.
func TestHold(t *testing.T) {
	if os.Getenv(holdVar) == "" {
		t.Skip("only for another test")
	}
	f, err := New("")
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile(filepath.Join(f.Path, "content"), nil, 0o600)
	os.Stdout.WriteString(f.Path + "\n")
	time.Sleep(time.Minute)
}

// A folder is removed as soon as, and not before, the process that made it is gone, however old it is. Folders
// that others made, or that are not locked, stay.
func TestSweep(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	cmd := exec.Command(os.Args[0], "-test.run=^TestHold$")
	cmd.Env = append(os.Environ(), holdVar+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, _, err := bufio.NewReader(out).ReadLine()
	if err != nil {
		t.Fatal(err)
	}
	held := string(line)
	past := time.Now().Add(-1000 * time.Hour)
	if err := os.Chtimes(held, past, past); err != nil {
		t.Fatal(err)
	}
	unlocked := filepath.Join(temp, prefix+"unlocked")
	if err := os.Mkdir(unlocked, 0o700); err != nil {
		t.Fatal(err)
	}
	own, err := New("")
	if err != nil {
		t.Fatal(err)
	}
	if !exists(held) || !exists(own.Path) {
		t.Errorf("the folder of a living process was removed: %v, %v", exists(held), exists(own.Path))
	}
	cmd.Process.Kill()
	cmd.Wait()
	other, err := New("")
	if err != nil {
		t.Fatal(err)
	}
	if exists(held) || !exists(unlocked) || !exists(own.Path) {
		t.Errorf("left by a killed process: %v, want false; without a lock: %v, of this process: %v, want true",
			exists(held), exists(unlocked), exists(own.Path))
	}
	own.Remove()
	other.Remove()
	if left, _ := filepath.Glob(filepath.Join(temp, "*")); len(left) != 1 {
		t.Errorf("left: %q, want only %s", left, unlocked)
	}
}

func exists(dir string) bool {
	_, err := os.Stat(dir)
	return !errors.Is(err, fs.ErrNotExist)
}
