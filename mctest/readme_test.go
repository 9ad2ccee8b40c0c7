package mctest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/macemc/macemc/internal/test/golden"
)

// The service in the README is what it says it is: a test that finds the bug.
func TestREADME(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test")
	}
	text, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, code, ok := strings.Cut(string(text), "```go\n")
	code, _, closed := strings.Cut(code, "```\n")
	if !ok || !closed {
		t.Fatal("the README has no Go code")
	}
	// Below testdata, so that it is part of this module but of no pattern.
	if err := os.MkdirAll("testdata", 0o755); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("testdata", "readme-")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		os.RemoveAll(dir)
		os.Remove("testdata") // if nothing else is there
	}()
	if err := os.WriteFile(filepath.Join(dir, "pingack_test.go"), []byte(code), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "test", ".")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Errorf("passed:\n%s", out)
	}
	page := filepath.Join("..", "docs", "demo.md")
	if text, err = os.ReadFile(page); err != nil {
		t.Fatal(err)
	}
	const intro = "`go test` finds the bug within a second:\n\n```\n"
	before, shown, _ := strings.Cut(string(text), intro)
	shown, after, _ := strings.Cut(shown, "```\n")
	if *golden.Update {
		fresh := regexp.MustCompile(`github.com/\S*`).ReplaceAllString(string(out), "example.org/pingack")
		if err := os.WriteFile(page, []byte(before+intro+fresh+"```\n"+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	times := regexp.MustCompile(`\d+\.\d+s|github.com/\S*|example.org/\S*`)
	timeless := func(s string) string { return times.ReplaceAllString(s, "*") }
	if diff := cmp.Diff(strings.Fields(timeless(shown)), strings.Fields(timeless(string(out)))); diff != "" {
		t.Errorf("the page shows something else (-page +test; -update puts it right):\n%s", diff)
	}
}
