package grpc_test

import (
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// block is a file of the tutorial, or a change to one.
var block = regexp.MustCompile("(?m)^(?:In )?`([a-z_]+\\.go)`:\n\n```(go|diff)\n((?s:.*?))^```$")

// The service of the tutorial has the two bugs that it speaks of, and after its changes has them no more.
func TestTutorial(t *testing.T) {
	text, err := os.ReadFile("../../docs/goroutines-tutorial.md")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(".", "tutorial") // below the module, which has what it needs
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	macemc := filepath.Join(t.TempDir(), "macemc")
	if out, err := exec.Command("go", "build", "-C", "../../cmd/macemc", "-o", macemc, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	bugs := []struct{ file, found string }{{"client.go", "nothing is appended twice"}, {"server.go", "the replica has what was acknowledged"}}
	for _, m := range block.FindAllStringSubmatch(string(text), -1) {
		file := filepath.Join(dir, m[1])
		source := m[3]
		if m[2] == "diff" {
			if len(bugs) > 0 && bugs[0].file == m[1] {
				check(t, macemc, dir, bugs[0].found)
				bugs = bugs[1:]
			}
			source = changed(t, file, source)
		}
		if formatted, err := format.Source([]byte(source)); err != nil || string(formatted) != source {
			t.Fatalf("%s is not formatted with gofmt: %v", m[1], err)
		}
		if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if len(bugs) > 0 {
		t.Fatalf("no change for: %v", bugs)
	}
	check(t, macemc, dir, "")
}

// check runs the test of the service; want is part of what it finds, "" when it finds nothing.
func check(t *testing.T, macemc, dir, want string) {
	t.Helper()
	cmd := exec.Command(macemc, "test", "./"+dir, "-count=1")
	cmd.Env = append(os.Environ(), "GOMAXPROCS=2")
	out, err := cmd.CombinedOutput()
	if (err == nil) != (want == "") || !strings.Contains(string(out), want) {
		t.Fatalf("%v, want %q:\n%s", err, want, out)
	}
	if want != "" && !strings.Contains(string(out), "macemc test -run '^Test") {
		t.Errorf("the command that runs it again does not use the changed runtime:\n%s", out)
	}
}

// changed makes the changes of a diff, whose lines that stay tell where.
func changed(t *testing.T, file, diff string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var before, after strings.Builder
	for line := range strings.Lines(diff) {
		if line[0] != '+' {
			before.WriteString(line[1:])
		}
		if line[0] != '-' {
			after.WriteString(line[1:])
		}
	}
	if strings.Count(string(text), before.String()) != 1 {
		t.Fatalf("%s has not exactly once:\n%s", file, before.String())
	}
	return strings.Replace(string(text), before.String(), after.String(), 1)
}
