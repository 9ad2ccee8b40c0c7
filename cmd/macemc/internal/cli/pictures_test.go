package cli

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/scaffold"
	"github.com/macemc/macemc/internal/test/golden"
)

// untimed replaces the variable parts of a page: times, the program's version, and the faster engine.
var untimed = regexp.MustCompile(`\d+(\.\d+)?(ms|s)\b|(?i)engine[^<\n]*|data:[^"]*|"?program[^<\n]*|macemc \(devel\)[^<\n]*|v0\.0\.0-[^<\n]*`)

// current fails the test if a file is outdated, and writes it if -update is given.
func current(t *testing.T, name string, want []byte) {
	t.Helper()
	if *golden.Update {
		if err := os.WriteFile(name, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if line, g, w := golden.Difference(string(want), string(got)); line > 0 {
		t.Errorf("%s differs in line %d, see make pictures:\nthe program makes %q\nthe file has %q", name, line, g, w)
	}
}

// The picture in the README is the report of the README's example. A checksum of it and of its page is stored; -update, as in "make pictures",
// takes a new one.
func TestPictures(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test")
	}
	leanBuilds(t)
	checkout, err := filepath.Abs(filepath.Join("..", "..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join(checkout, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(readme), "`pingack_test.go`:\n\n```go\n")
	code, _, found := strings.Cut(code, "```\n")
	if !found {
		t.Fatal("README.md has no pingack_test.go")
	}
	dir := filepath.Join(t.TempDir(), "mysvc")
	if _, err := scaffold.Write(dir, checkout, scaffold.Service); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "pingack_test.go"), []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	test := exec.Command("go", "test", "-run=^TestPingAck$", "-macemc.workers=1")
	test.Dir = dir
	out, err := test.CombinedOutput()
	report := filepath.Join(dir, "testdata", "macemc", "TestPingAck", "report.html")
	page, missing := os.ReadFile(report)
	if err == nil || missing != nil {
		t.Fatalf("%v, %v:\n%s", err, missing, out)
	}
	page = bytes.ReplaceAll(bytes.ReplaceAll(page, []byte(dir), nil), []byte(checkout), nil)

	pictures := filepath.Join(checkout, "docs", "pictures")
	picture := filepath.Join(pictures, "report.png")
	if *golden.Update {
		screenshot := exec.Command("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1200,760",
			"--screenshot="+picture, "file://"+report)
		if out, err := screenshot.CombinedOutput(); err != nil {
			t.Fatalf("no picture of the report, see make pictures: %v\n%s", err, out)
		}
	}
	png, err := os.ReadFile(picture)
	if err != nil {
		t.Fatal(err)
	}
	current(t, filepath.Join(pictures, "report.sum"), fmt.Appendf(nil, "page %x\npicture %x\n",
		sha256.Sum256(untimed.ReplaceAll(page, nil)), sha256.Sum256(png)))
}
