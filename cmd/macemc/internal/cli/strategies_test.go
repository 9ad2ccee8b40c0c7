package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/search/strategy"
)

// Each strategy of the table searches a small system. Its report has its phase, and its capabilities are those of the
// table: whether it injects faults, can be resumed and can be divided.
func TestSearch_AllStrategies(t *testing.T) {
	for _, s := range strategy.All {
		t.Run(s.Name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			search := func(more ...string) string {
				t.Helper()
				args := slices.Concat([]string{"search", "twophase", "--crashes", "1", "--workers", "1", "--strategy", s.Name}, more)
				stdout, stderr, status := run(t, args...)
				if status != 0 {
					t.Fatalf("%q: exit status %d\n%s%s", args, status, stdout, stderr)
				}
				return stdout
			}
			limit, held := []string{"--max-paths", "100"}, ", which already held 100 runs\n"
			want := map[string]bool{"faults used: crashes 1/1\n": s.Can(strategy.Faults)}
			switch {
			case s.Can(strategy.VisitsStates):
				limit, held = []string{"--depth", "6"}, ", which already held "
				want["exhaustive to depth 6, "] = true
			case s.New == nil:
				want["exhaustive to depth "] = true
			default:
				want["covered: 100 random runs\n"], want["\n  "+s.Phase+" 100, "] = true, true
				want["(parts without faults: "] = s.Can(strategy.Faults)
			}
			out := search(limit...)
			for text, want := range want {
				if got := strings.Contains(out, text); got != want {
					t.Errorf("the report contains %q: %v, want %v\n%s", text, got, want, out)
				}
			}
			if s.Can(strategy.Walks) {
				search(append(limit, "--shard", "1/2")...)
			}
			if s.Can(strategy.Durable) {
				limit = append(limit, "--durable", "stored")
				search(limit...)
				if out := search(append(limit, "--resume")...); !strings.Contains(out, held) {
					t.Errorf("the report of the resumed search does not contain %q\n%s", held, out)
				}
			}
		})
	}
}
