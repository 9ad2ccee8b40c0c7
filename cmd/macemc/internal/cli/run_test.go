package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/cmd/macemc/internal/bundled"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/test/papers"
	"github.com/macemc/macemc/systems/spec"
)

// testSystems returns the bundled systems and those of papers.
func testSystems() []spec.Entry { return append(bundled.Systems(), papers.Entries()...) }

// run executes a command line in this process.
func run(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	return runUntil(t, t.Context(), args...)
}

func runUntil(t *testing.T, ctx context.Context, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, errs bytes.Buffer
	a := &app{Process: task.Process{Stdout: &out, Stderr: &errs, Program: "macemc", Systems: testSystems(), Screen: showScreen}}
	status = a.run(ctx, verbose(args))
	return out.String(), errs.String(), status
}

// verbose makes a search print its complete coverage, which most tests check.
func verbose(args []string) []string {
	if len(args) == 0 || args[0] != "search" || slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--help") }) {
		return args
	}
	return append(slices.Clone(args), "-v")
}

// testdata returns the absolute path of a file in testdata, which stays valid after a change of the working directory.
func testdata(t *testing.T, name string) string {
	t.Helper()
	file, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

var (
	times   = regexp.MustCompile(`\d+(\.\d+)?s\b|"seconds": [0-9.e-]+`)
	engines = regexp.MustCompile(`(?s)  "engine": \{.*?\n  \},\n|  engine: [^\n]*(\n    [^\n]*)*\n(  made for handlers [^\n]*(\n    [^\n]*)*\n)?`)
)

// timeless replaces all times, and removes text about engines, whose choice depends on time.
func timeless(s string) string {
	return times.ReplaceAllString(engines.ReplaceAllString(s, ""), "TIME")
}

func TestStyle_WithoutTerminal(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for columns, want := range map[string]int{"": 160, "90": 90, "wide": 160, "0": 160} {
		t.Setenv("COLUMNS", columns)
		if got := style(file); got.Width != want || got.Color || got.Terminal {
			t.Errorf("COLUMNS=%s: got %+v, want width %d", columns, got, want)
		}
	}
}
