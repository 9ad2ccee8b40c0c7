package cli

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/check/outfolder"
	"github.com/macemc/macemc/internal/refine"
)

func TestRefine(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		args   []string
		status int
		want   []string
	}{
		{[]string{"channel"}, exitcode.OK,
			[]string{"the abstraction includes all behavior of the implementation", "the abstraction adds no behavior"}},
		{[]string{"channel", "--bug", "NL2"}, exitcode.Violation,
			[]string{refine.NeverDone, "deliver n0 Deliver{Value:0}", "n0 receives Deliver{0} from n2"}},
		{[]string{"channel", "--bug", "NL3"}, exitcode.Violation, []string{refine.MustGoOn, "n1 internal step   (repeats forever)"}},
		{[]string{"channel", "--max-states", "10"}, exitcode.Inconclusive, []string{"UNDECIDED: the abstraction has more than 10 states"}},
		{[]string{"channel", "--bug", "NL4"}, exitcode.Usage, []string{"unhandled event: sender1"}},
		{[]string{"paxos"}, exitcode.Usage, []string{"declares no abstractions"}},
	} {
		stdout, stderr, status := run(t, append([]string{"refine"}, c.args...)...)
		for _, want := range c.want {
			if !strings.Contains(stdout+stderr, want) {
				t.Errorf("%v: %q is not in\n%s%s", c.args, want, stdout, stderr)
			}
		}
		if status != c.status {
			t.Errorf("%v: exit status %d, want %d: %s", c.args, status, c.status, stderr)
		}
	}
	stdout, _, status := run(t, "refine", "channel", "--bug", "NL1", "--json")
	var all []struct {
		Verdict string
		Trace   []string
		Steps   []string
	}
	if err := json.Unmarshal([]byte(stdout), &all); err != nil || status != exitcode.Violation || len(all) != 1 ||
		all[0].Verdict != "difference" ||
		len(all[0].Trace) != 3 || len(all[0].Steps) == 0 {
		t.Errorf("%v, %d: %s", err, status, stdout)
	}
}

func TestObserve(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Chdir(t.TempDir())
	if _, stderr, status := run(t, "search", "commit", "--bug", "PC2", "--out", "found"); status != exitcode.Violation {
		t.Fatal(status, stderr)
	}
	path := filepath.Join("found", outfolder.ErrorPath)
	stdout, stderr, status := run(t, "observe", path)
	if status != exitcode.Violation || !strings.Contains(stdout, "monitor atomicity: VIOLATED in ") ||
		!strings.Contains(stdout, "machine.Sent[commit.Written]") {
		t.Errorf("exit status %d: %s%s", status, stdout, stderr)
	}
	stdout, stderr, status = run(t, "observe", path, "--monitor", "every transaction is answered")
	if status != exitcode.OK || !strings.Contains(stdout, "not violated in any order") || strings.Contains(stdout, "atomicity") {
		t.Errorf("exit status %d: %s%s", status, stdout, stderr)
	}
	if _, stderr, status = run(t, "observe", path, "--monitor", "nobody"); status != exitcode.Usage ||
		!strings.Contains(stderr, "unknown monitor") {
		t.Errorf("exit status %d: %s", status, stderr)
	}
	if stdout, _, status = run(t, "observe", path, "--max-states", "1"); status == exitcode.OK {
		t.Errorf("exit status %d: %s", status, stdout)
	}
}
