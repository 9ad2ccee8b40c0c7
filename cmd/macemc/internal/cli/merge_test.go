package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/check/outfolder"
	"github.com/macemc/macemc/internal/report"
)

func reportOf(t *testing.T, status int, args ...string) (r report.Report, out string) {
	t.Helper()
	out, stderr, got := run(t, append(args, "--json")...)
	if got != status || json.Unmarshal([]byte(out), &r) != nil {
		t.Fatalf("%v: exit status %d, want %d: %s%s", args, got, status, out, stderr)
	}
	return r, out
}

// Shards together yield the results of searches with all their seeds.
func TestShards(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	const n = 3
	for _, base := range [][]string{
		{"search", "randtree", "--crashes", "1", "--strategy", "walk", "--max-paths", "100"},
		{"search", "paxos", "--depth", "4"},
	} {
		dir := t.TempDir()
		var sum struct{ paths, runs, events int }
		for k := range n {
			got, out := reportOf(t, exitcode.OK, append(base, "--seed", "2", "--shard", fmt.Sprintf("%d/%d", k+1, n))...)
			want, _ := reportOf(t, exitcode.OK, append(base, "--seed", fmt.Sprint(n+k+1))...)
			if got.Shard == nil || got.Shard.Number != k+1 || got.Seed != want.Seed || got.Paths != want.Paths || got.Events != want.Events || !reflect.DeepEqual(got.Coverage, want.Coverage) {
				t.Errorf("shard %d: %+v, want %+v", k+1, got, want)
			}
			sum.paths, sum.events = sum.paths+want.Paths, sum.events+want.Events
			for _, s := range want.Coverage.Sometimes {
				sum.runs += s.Runs
			}
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(k)+".json"), []byte(out), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		m, _ := reportOf(t, exitcode.OK, "merge", dir)
		runs := 0
		for _, s := range m.Coverage.Sometimes {
			runs += s.Runs
		}
		if m.Paths != sum.paths || m.Events != sum.events || runs != sum.runs || len(m.Shards) != n {
			t.Errorf("together %+v, want %+v", m, sum)
		}
		if err := os.Remove(filepath.Join(dir, "1.json")); err != nil {
			t.Fatal(err)
		}
		out, _, status := run(t, "merge", dir)
		if status != exitcode.Inconclusive || !strings.Contains(out, "MISSING: shard 2") {
			t.Errorf("with one missing: exit status %d: %s", status, out)
		}
	}
}

// A violation in one shard is one of the merged result, and its path file is found at its present location.
func TestMergeViolation(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir := t.TempDir()
	for k := range 2 {
		shard := fmt.Sprintf("%d/2", k+1)
		out, stderr, _ := run(t, "search", "paxos", "--bug", "PX1", "--shard", shard, "--json", "--out", filepath.Join(dir, "first", fmt.Sprint(k)))
		if !strings.Contains(out, `"violation"`) {
			t.Fatalf("%s%s", out, stderr)
		}
		if err := os.WriteFile(filepath.Join(dir, "first", fmt.Sprint(k)+".json"), []byte(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	now := filepath.Join(dir, "moved")
	if err := os.Rename(filepath.Join(dir, "first"), now); err != nil {
		t.Fatal(err)
	}
	m, _ := reportOf(t, exitcode.Violation, "merge", now)
	if len(m.Findings) != 1 || m.Alike != 1 || m.Findings[0].PathFile != filepath.Join(now, "0", outfolder.ErrorPath) {
		t.Errorf("got %+v, want the finding of report 0, and one like it", m)
	}
	if err := os.WriteFile(filepath.Join(now, "1.json"), []byte(`{"system": "pin`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		why  string
	}{
		{[]string{"merge", now}, "1.json is not a complete report"},
		{[]string{"merge", filepath.Join(dir, "nowhere")}, "no such file"},
		{[]string{"merge", dir, filepath.Join(now, "0", "error.path")}, "is not a complete report"},
		{[]string{"merge", t.TempDir()}, "there is no report of a shard"},
		{[]string{"search", "paxos", "--strategy", "bfs", "--shard", "1/2"}, "--shard needs a strategy that makes random walks"},
		{[]string{"search", "paxos", "--shard", "3/2"}, "is not a shard"},
	} {
		if _, stderr, status := run(t, c.args...); status != exitcode.Usage || !strings.Contains(stderr, c.why) {
			t.Errorf("%v: exit status %d, want %q: %s", c.args, status, c.why, stderr)
		}
	}
}
