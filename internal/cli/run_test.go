package cli

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/macemc/macemc/systems"
)

var update = flag.Bool("update", false, "write the golden files")

// run executes a command line in this process, in an empty folder unless the test went to one.
func run(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	return runUntil(t, t.Context(), args...)
}

func runUntil(t *testing.T, ctx context.Context, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, errs bytes.Buffer
	a := &app{stdout: &out, stderr: &errs, program: "macemc", systems: systems.All()}
	status = a.run(ctx, args)
	return out.String(), errs.String(), status
}

// golden compares text with a file in testdata, whose folder is dir.
func golden(t *testing.T, file, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text); diff != "" {
		t.Errorf("%s (-want +got; -update writes it):\n%s", file, diff)
	}
}

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

// timeless replaces all times, and leaves out what is said of engines, which are chosen by time.
func timeless(s string) string {
	return times.ReplaceAllString(engines.ReplaceAllString(s, ""), "TIME")
}
