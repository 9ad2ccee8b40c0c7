package cli

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

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

// The pictures in the README are output of the program. The picture of an event graph is text and is compared as such. For the screenshot,
// a checksum of it and of its page is stored; -update, as in "make pictures", takes a new one.
func TestPictures(t *testing.T) {
	docs, err := filepath.Abs(filepath.Join("..", "..", "..", "..", "docs", "pictures"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Chdir(dir)
	if _, stderr, status := run(t, "search", "pingack", "--workers", "1", "--out", "found"); status != 1 {
		t.Fatalf("exit status %d: %s", status, stderr)
	}
	if _, stderr, status := run(t, "graph", "found/error.path", "--to", "7", "-o", "graph.svg"); status != 0 {
		t.Fatalf("exit status %d: %s", status, stderr)
	}
	graph, err := os.ReadFile("graph.svg")
	if err != nil {
		t.Fatal(err)
	}
	current(t, filepath.Join(docs, "event-graph.svg"), graph)

	page, err := os.ReadFile("found/report.html")
	if err != nil {
		t.Fatal(err)
	}
	picture := filepath.Join(docs, "report.png")
	if *golden.Update {
		screenshot := exec.Command("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1200,760",
			"--screenshot="+picture, "file://"+filepath.Join(dir, "found", "report.html"))
		if out, err := screenshot.CombinedOutput(); err != nil {
			t.Fatalf("no picture of the report, see make pictures: %v\n%s", err, out)
		}
	}
	png, err := os.ReadFile(picture)
	if err != nil {
		t.Fatal(err)
	}
	current(t, filepath.Join(docs, "report.sum"), fmt.Appendf(nil, "page %x\npicture %x\n",
		sha256.Sum256(untimed.ReplaceAll(page, nil)), sha256.Sum256(png)))
}
