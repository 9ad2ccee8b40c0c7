//go:build unix

package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// On a terminal, even a narrow one, the report begins where the progress line was.
func TestReportReplacesProgress(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("there is no tmux")
	}
	shown, progress := "", false
	for _, limit := range []string{"3s", "15s", "1m"} { // on a busy machine there may be no line in the first seconds
		if shown, progress = onTerminal(t, tmux, "search twophase --time "+limit, "deepening  depth"); progress {
			break
		}
	}
	if !progress || !strings.HasPrefix(shown, "twophase: nothing found") {
		t.Errorf("progress was seen: %v; then\n%s", progress, shown)
	}
}

// onTerminal returns the content of a narrow terminal after a command, and whether it has shown something before.
func onTerminal(t *testing.T, tmux, command, before string) (shown string, seen bool) {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "tmux")
	line := fmt.Sprintf("env %s=1 %s %s; echo status $?; sleep 600", mainVar, os.Args[0], command)
	if out, err := exec.Command(tmux, "-S", socket, "-f", os.DevNull, "new-session", "-d", "-x", "40", "-y", "60", line).CombinedOutput(); err != nil {
		t.Fatalf("tmux: %v: %s", err, out)
	}
	defer exec.Command(tmux, "-S", socket, "kill-server").Run()
	for end := time.Now().Add(4 * time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		out, err := exec.Command(tmux, "-S", socket, "capture-pane", "-p").Output()
		if err != nil {
			t.Fatal(err)
		}
		shown = string(out)
		seen = seen || strings.Contains(shown, before)
		if strings.Contains(shown, "status 0") {
			break
		}
	}
	return shown, seen
}

// A reader that closes the output is not a failure of the search, and is not reported.
func TestReaderGone(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	cmd := exec.Command(os.Args[0], "search", "pingack", "--no-shrink", "--walks", "20", "--walk-steps", "200", "--out", filepath.Join(t.TempDir(), "found"))
	cmd.Env = append(os.Environ(), mainVar+"=1")
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = w, &stderr
	err = cmd.Run()
	w.Close()
	if stderr.Len() > 0 || cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("%v, %s", err, stderr.String())
	}
}
