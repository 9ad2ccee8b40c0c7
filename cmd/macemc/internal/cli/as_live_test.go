package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/check/exitcode"
)

// A run in which more messages waited than fit the model's buffer is replayed unchanged by all commands that open paths, and searched from.
// Without the mark in the file it is a finding.
func TestPathAsLive(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Chdir(t.TempDir())
	head := "macemc path 1\nsystem chain\nnodes 7\nparam clients=1\nparam fail=crash\nparam requests=1002\n"
	steps := strings.Repeat("0 internal n0\n", 1002) + "end 1002\n"
	for name, text := range map[string]string{"over.path": head + "live-network\n" + steps, "strict.path": head + steps} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"replay over.path", exitcode.OK, "step 1002"},
		{"mdb over.path --batch -x info", exitcode.OK, "as live nodes have it"},
		{"search --from over.path --max-paths 1 --workers 1 --out none", exitcode.Inconclusive, "stopped at the path limit"},
		{"replay strict.path", exitcode.Violation, "while its buffer for that machine is full"},
	} {
		out, errs, status := run(t, strings.Fields(c.args)...)
		if status != c.status || !strings.Contains(out, c.want) {
			t.Errorf("%s: exit status %d, want %d and %q in\n%.2000s%s", c.args, status, c.status, c.want, out[max(0, len(out)-2000):], errs)
		}
	}
	if found, _ := filepath.Glob("none/*"); len(found) > 0 {
		t.Errorf("%q", found)
	}
}
