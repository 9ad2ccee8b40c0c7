//go:build unix

package cli

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

// --force replaces regular files only: a user who may rename files in /dev would otherwise lose /dev/null.
func TestForceLeavesPipes(t *testing.T) {
	file := testdata(t, "pingack.path")
	t.Chdir(t.TempDir())
	if err := syscall.Mkfifo("pipe", 0o600); err != nil {
		t.Skip(err)
	}
	_, stderr, status := run(t, "graph", file, "-o", "pipe", "--force")
	if status != 2 || !strings.Contains(stderr, "pipe is not a regular file") {
		t.Errorf("exit status %d: %s", status, stderr)
	}
	if info, err := os.Lstat("pipe"); err != nil || info.Mode().Type() != os.ModeNamedPipe {
		t.Errorf("the pipe is %v, %v", info, err)
	}
}
