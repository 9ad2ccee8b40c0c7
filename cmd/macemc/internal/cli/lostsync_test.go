package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A program that relies on its disk loses an acknowledged value only if a sync may be lost. The reports, the path file and its replay show
// the fault, and the finding is shrunk to one of the three that are allowed.
func TestSearch_LostSync(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test with the changed runtime")
	}
	leanBuilds(t)
	dir, out := testdata(t, "lostsync"), filepath.Join(t.TempDir(), "out")
	search := []string{"search", ".:TestAcknowledged", "--time", "20s", "--max-paths", "1000", "--out", out}
	if text, status := runHere(t, dir, append(search, "-v")...); status != 0 || !strings.Contains(text, "no sync is lost (--lost-syncs 0)") {
		t.Errorf("without lost syncs: exit status %d\n%s", status, text)
	}
	text, status := runHere(t, dir, append(search, "--lost-syncs", "3")...)
	for _, want := range []string{"lost syncs 1 of 3 used", "DISK LOSES THE NEXT SYNC", "lost sync of /data/value", "--lost-syncs 3",
		`restored "" after "x\n" was acknowledged`} {
		if status != 1 || !strings.Contains(text, want) {
			t.Errorf("with lost syncs: exit status %d, want %q in\n%s", status, want, text)
		}
	}
	file := filepath.Join(out, "error.path")
	for name, wants := range map[string][]string{
		file:                              {"limit lost-syncs=3\n", " lose-sync n0"},
		filepath.Join(out, "report.json"): {`"lost_syncs": 3`},
	} {
		got, err := os.ReadFile(name)
		for _, want := range wants {
			if err != nil || !strings.Contains(string(got), want) {
				t.Errorf("%v, want %q in\n%s", err, want, got)
			}
		}
	}
	if text, status := runHere(t, dir, "replay", file); status != 1 || !strings.Contains(text, "n0 disk loses the next sync") {
		t.Errorf("replay: exit status %d\n%s", status, text)
	}
}
