package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/macemc/macemc/internal/test/golden"
)

// What the page says that the demo prints, times apart, is what it prints.
func TestDemoInDocs(t *testing.T) {
	file, err := filepath.Abs(filepath.Join("..", "..", "..", "..", "docs", "demo.md"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const intro, end = "$ make demo\n", "```\n"
	before, shown, _ := strings.Cut(string(text), intro)
	shown, after, ok := strings.Cut(shown, end)
	if !ok {
		t.Fatal("the page does not show the demo")
	}
	t.Chdir(t.TempDir())
	printed, stderr, status := run(t, "search", "randtree", "--bug", "RT13")
	if status != 1 {
		t.Fatalf("exit status %d: %s", status, stderr)
	}
	printed = strings.ReplaceAll(printed, "  macemc ", "  bin/macemc ")
	printed = regexp.MustCompile(` (randtree/\w+\.go)`).ReplaceAllString(printed, " systems/$1") // in a checkout places are relative to it
	if *golden.Update {
		if err := os.WriteFile(file, []byte(before+intro+printed+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(strings.Fields(timeless(shown)), strings.Fields(timeless(printed))); diff != "" {
		t.Errorf("the page shows something else (-page +demo; -update puts it right):\n%s", diff)
	}
}
