package check

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/check/outfolder"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/search"
)

// If no file can be written, the error names the path file.
func TestWriteTo_Error(t *testing.T) {
	r := &report.Report{Verdict: search.Violation, PathText: "macemc path 1\n", LivePathText: "macemc path 1\n"}
	missing := filepath.Join(t.TempDir(), "missing")
	for range 20 {
		if err := new(files).writeTo(missing, r); err == nil || !strings.Contains(err.Error(), outfolder.ErrorPath) {
			t.Fatalf("got %v, want an error about %s", err, outfolder.ErrorPath)
		}
	}
}
