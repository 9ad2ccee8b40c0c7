package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/macemc/macemc/internal/golden"
)

// What the README says that the demo prints, times apart, is what it prints.
func TestDemoInREADME(t *testing.T) {
	file, err := filepath.Abs(filepath.Join("..", "..", "README.md"))
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
		t.Fatal("the README does not show the demo")
	}
	t.Chdir(t.TempDir())
	printed, stderr, status := run(t, "search", "randtree", "--bug", "RT13")
	if status != 1 {
		t.Fatalf("exit status %d: %s", status, stderr)
	}
	printed = strings.ReplaceAll(printed, "  macemc ", "  bin/macemc ")
	if *golden.Update {
		if err := os.WriteFile(file, []byte(before+intro+printed+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(strings.Fields(timeless(shown)), strings.Fields(timeless(printed))); diff != "" {
		t.Errorf("the README shows something else (-README +demo; -update puts it right):\n%s", diff)
	}
}
