package summary

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/macemc/macemc/internal/testsched"
	"github.com/macemc/macemc/internal/testsched/program"
)

// The line of a finding is that of the critical step, or else that of the last step at its place, or else its place in the package.
func TestPlace(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("x.go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	here, err := filepath.Abs("x.go")
	if err != nil {
		t.Fatal(err)
	}
	step := func(at, file string) testsched.Event {
		return testsched.Event{Number: 2, Op: program.OpSend, At: at, File: file}
	}
	trace := []testsched.Event{step("y.go:1", "/lib/y.go"), step("x.go:7", "/other/x.go"), step("x.go:71", "/other/x.go")}
	const waits = "goroutine 2 waits to send at x.go:7, started at x.go:3"
	for _, c := range []struct {
		name           string
		critical       int
		details, trace bool
		where          string
		file           string
		line           int
		text           string
	}{
		{"critical step", 1, true, true, "x.go:7", "/lib/y.go", 1, "critical step 1: goroutine 2: sends at y.go:1"},
		{"no critical step", 0, true, true, "x.go:71", "/other/x.go", 7, waits},
		{"no trace", 0, true, false, "", here, 7, waits},
		{"no details", 0, false, true, "x.go:9", here, 9, "DEADLOCK: stuck"},
		{"unknown file", 0, false, true, "z.go:9", "", 9, "DEADLOCK: stuck"},
		{"unknown", 0, false, true, "", "", 0, "DEADLOCK: stuck"},
	} {
		o := &testsched.Outcome{Kind: "deadlock", Message: "stuck", Where: c.where}
		if c.details {
			o.Details = []string{waits}
		}
		if c.trace {
			o.Trace = trace
		}
		p := PlaceOf(o, c.critical)
		if p.File != c.file || p.Line != c.line || p.Text != c.text || p.Title != "DEADLOCK: stuck" || p.Kind != "deadlock" {
			t.Errorf("%s: got %+v, want %s:%d %s", c.name, p, c.file, c.line, c.text)
		}
		known := p.File != ""
		if p.Store("found.path", "replays"); p.Command != "replays" || !known && filepath.Base(p.File) != "found.path" || known && p.File != c.file {
			t.Errorf("%s: stored %+v", c.name, p)
		}
	}
}
