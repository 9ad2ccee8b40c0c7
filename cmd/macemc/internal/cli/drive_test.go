package cli

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/check"
)

// A suspect is found in the folder of a search and in its numbered folders, unless an earlier search left it.
func TestWrittenSince(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out [1]")
	for _, in := range []string{dir, filepath.Join(dir, "2")} {
		if got := writtenSince(time.Time{}, in, check.SuspectPath); got != "" {
			t.Errorf("got %s in an empty folder", got)
		}
		file := filepath.Join(in, check.SuspectPath)
		if err := os.MkdirAll(in, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := writtenSince(time.Now().Add(-time.Hour), dir, check.SuspectPath); got != file {
			t.Errorf("got %q, want %s", got, file)
		}
		if got := writtenSince(time.Now().Add(time.Hour), dir, check.SuspectPath); got != "" {
			t.Errorf("got %s, which is older", got)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
}
