package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A program that relies on its disk loses an acknowledged value only if a sync may be lost, and restores another one only if a bit may
// flip. The reports, the path file and its replay show the fault, and the finding is shrunk to one of the three that are allowed.
func TestSearch_DiskFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test with the changed runtime")
	}
	leanBuilds(t)
	dir := testdata(t, "diskfaults")
	search := func(flags ...string) (text string, status int) {
		return runHere(t, dir, append([]string{"search", ".:TestAcknowledged", "--time", "20s", "--max-paths", "300"}, flags...)...)
	}
	text, status := search("-v")
	for _, want := range []string{"no sync is lost (--lost-syncs 0)", "file flips (--bit-flips 0)"} {
		if status != 0 || !strings.Contains(text, want) {
			t.Errorf("without faults: exit status %d, want %q in\n%s", status, want, text)
		}
	}
	for _, c := range []struct {
		limit, json, event, sentence string
		report                       []string
	}{
		{"lost-syncs", `"lost_syncs": 3`, " lose-sync n0", "n0 disk loses the next sync",
			[]string{"lost syncs 1 of 3 used", "DISK LOSES THE NEXT SYNC", "lost sync of /data/value", `restored "" after "x\n" was acknowledged`}},
		{"bit-flips", `"bit_flips": 3`, " flip-bit n0", "n0 disk flips a bit",
			[]string{"bit flips 1 of 3 used", "DISK FLIPS A BIT", "flip bit 0 of /data/value", ` after "x\n" was acknowledged`}},
	} {
		out := filepath.Join(t.TempDir(), "out")
		text, status := search("--"+c.limit, "3", "--out", out)
		for _, want := range append(c.report, "--"+c.limit+" 3") {
			if status != 1 || !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
				t.Errorf("%s: exit status %d, want %q in\n%s", c.limit, status, want, text)
			}
		}
		file := filepath.Join(out, "error.path")
		for name, wants := range map[string][]string{
			file:                              {"limit " + c.limit + "=3\n", c.event},
			filepath.Join(out, "report.json"): {c.json},
		} {
			got, err := os.ReadFile(name)
			for _, want := range wants {
				if err != nil || !strings.Contains(string(got), want) {
					t.Errorf("%s: %v, want %q in\n%s", c.limit, err, want, got)
				}
			}
		}
		if text, status := runHere(t, dir, "replay", file); status != 1 || !strings.Contains(text, c.sentence) {
			t.Errorf("%s: replay: exit status %d\n%s", c.limit, status, text)
		}
	}
}
