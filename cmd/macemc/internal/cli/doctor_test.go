package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/task"
)

func TestDoctor(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	run := func() (string, int) {
		var out strings.Builder
		a := &app{Process: task.Process{Stdout: &out, Stderr: &out, Program: "macemc", Screen: showScreen}}
		status := a.run(t.Context(), []string{"doctor"})
		return out.String(), status
	}
	out, status := run()
	if status != 0 || !strings.Contains(out, "overlay        applies\n") || !strings.Contains(out, "go             go1.") || !strings.Contains(out, "\ncache          ") || !strings.Contains(out, "\nbuild cache    ") {
		t.Errorf("status %d\n%s", status, out)
	}
	t.Setenv("GOCACHE", t.TempDir())
	if out, status := run(); status != 0 || !strings.Contains(out, "library        the next \"macemc test\" builds the changed standard library") {
		t.Errorf("empty build cache: status %d\n%s", status, out)
	}
	// A program that has no Go distribution is not it.
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	if out, status := run(); status != 2 || !strings.Contains(out, "go             missing: ") {
		t.Errorf("without Go: status %d\n%s", status, out)
	}
}
