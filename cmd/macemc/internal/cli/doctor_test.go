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
		a := &app{Process: task.Process{Stdout: &out, Stderr: &out, Program: "macemc", Front: front{}}}
		status := a.run(t.Context(), []string{"doctor"})
		return out.String(), status
	}
	out, status := run()
	if status != 0 || !strings.Contains(out, "overlay        applies\n") || !strings.Contains(out, "go             go1.") || !strings.Contains(out, "\ncache          ") || !strings.Contains(out, "\nbuild cache    ") {
		t.Errorf("status %d\n%s", status, out)
	}
	// The first build is announced, except to programs that read -json.
	t.Setenv("CGO_ENABLED", "1") // the race detector needs it
	t.Setenv("GOCACHE", t.TempDir())
	if out, status := run(); status != 0 || !strings.Contains(out, "library        the next \"macemc test\" builds the changed standard library") {
		t.Errorf("empty build cache: status %d\n%s", status, out)
	}
	const announced = "macemc: building the changed standard library, which takes about a minute the first time\n"
	for args, want := range map[string]bool{"": true, "-race": true, "-json": false} {
		if out, status := testCommand(t.Context(), append(strings.Fields(args), "./nowhere")...); status != 1 || strings.HasPrefix(out, announced) != want {
			t.Errorf("%q: status %d, want announced %v\n%s", args, status, want, out)
		}
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
