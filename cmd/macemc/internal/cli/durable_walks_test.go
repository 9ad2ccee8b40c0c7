//go:build unix

package cli

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/check/exitcode"
)

// walked is the result of random walks, except for times.
func walked(t *testing.T, out []byte) map[string]any {
	t.Helper()
	var r map[string]any
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var strip func(v any)
	strip = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, name := range []string{"seconds", "kept", "engine", "confirming", "telling", "path_file", "workers"} {
				delete(v, name)
			}
			for _, e := range v {
				strip(e)
			}
		case []any:
			for _, e := range v {
				strip(e)
			}
		}
	}
	strip(r)
	return r
}

// Random walks and the default strategy, deepening, yield the same result however often they are killed.
func TestRunsKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("searches for some seconds, several times")
	}
	t.Parallel()
	t.Run("faulty", func(t *testing.T) {
		runsKilled(t, 4500, "transport", "--loss", "1", "--strategy", "faulty")
	})
	t.Run("deepening", func(t *testing.T) { runsKilled(t, 70_000, "paxos") })
}

func runsKilled(t *testing.T, runs int, search ...string) {
	dir := t.TempDir()
	args := func(folder string) []string {
		return slices.Concat([]string{"search"}, search, []string{"--max-paths", strconv.Itoa(runs), "--workers", "1", "--json", "--durable", folder, "--resume"})
	}
	want, err := command(dir, args("whole")...).Output()
	if exitCode(err) != exitcode.OK {
		t.Fatalf("%v: %s", err, want)
	}
	most := 0
	for range 3 {
		cmd := command(dir, args("often")...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		kill := time.AfterFunc(time.Duration(200+rand.IntN(800))*time.Millisecond, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
		_ = cmd.Wait()
		kill.Stop()
		left, err := filepath.Glob(filepath.Join(dir, "often", "runs-*.json"))
		if err != nil || len(left) < most {
			t.Errorf("%d batches are left, of %d (%v)", len(left), most, err)
		}
		most = len(left)
	}
	t.Logf("%d batches after three kills", most)
	got, err := command(dir, args("often")...).Output()
	if exitCode(err) != exitcode.OK {
		t.Fatalf("%v: %s", err, got)
	}
	a, b := walked(t, want), walked(t, got)
	if !reflect.DeepEqual(a, b) {
		t.Errorf("undisturbed: %v\nkilled: %v", a, b)
	}
	if a["paths"] != float64(runs) {
		t.Errorf("%v runs", a["paths"])
	}
}

// Stored walks continue, also with their findings, and only with the same search.
func TestDurableWalks(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	walk := func(folder string, more ...string) []string {
		return append([]string{"search", "paxos", "--strategy", "walk", "--durable", at(folder), "--out", at("found")}, more...)
	}
	deepen := func(folder string, more ...string) []string {
		return append([]string{"search", "paxos", "--durable", at(folder)}, more...)
	}
	for _, c := range []struct {
		args   []string
		status int
		out    string // in standard output
		err    string // in standard error
	}{
		{walk("w", "--max-paths", "1500"), exitcode.OK, "seeds 1 to 2", ""},
		{walk("w", "--max-paths", "1500"), exitcode.Usage, "", "holds a search already: --resume continues it"},
		{walk("w", "--max-paths", "1500", "--resume"), exitcode.OK, "which already held 1,500 runs", "holds 1,500 runs"},
		{walk("w", "--max-paths", "2100", "--resume"), exitcode.OK, "covered: 2,100 random runs", ""},
		{walk("w", "--resume", "--seed", "2"), exitcode.Usage, "", "seed: 1 there, 2 here"},
		{walk("w", "--resume", "--walk-steps", "7"), exitcode.Usage, "", "walk-steps: "},
		{walk("w", "--resume", "--crashes", "1"), exitcode.Usage, "", "crashes: 0 there, 1 here"},
		{walk("w", "--resume", "--bug", "PX3"), exitcode.Usage, "", "runs of another program"},
		{walk("w", "--resume", "--strategy", "faulty", "--crashes", "0"), exitcode.Usage, "", "strategy: walk there, faulty here"},
		{walk("w", "--resume", "--strategy", "bfs"), exitcode.Usage, "", "strategy: walk there, none here"},
		{walk("w", "--shard", "1/2"), exitcode.Usage, "", "contradict each other"},
		{[]string{"durable", "info", at("w")}, exitcode.OK, "2,100, in 3 parts", ""},
		{[]string{"durable", "info", at("w"), "--json"}, exitcode.OK, `"runs": 2100`, ""},
		{[]string{"durable", "recheck", at("w")}, exitcode.Usage, "", "no states to recheck"},
		{walk("bug", "--bug", "PX3", "--seed", "3"), exitcode.Violation, at("found"), ""},
		{walk("bug", "--bug", "PX3", "--seed", "3", "--resume"), exitcode.Violation, at("found"), ""},
		{[]string{"durable", "info", at("bug")}, exitcode.OK, "finished with a finding", ""},
		{deepen("d", "--max-paths", "20001"), exitcode.OK, "in the first 9 choices", ""},
		{deepen("d", "--max-paths", "40002", "--resume"), exitcode.OK, "which already held 20,001 runs", ""},
		{deepen("d", "--resume", "--depth", "3"), exitcode.Usage, "", "depth: none there, 3 here"},
		{deepen("d", "--resume", "--alone"), exitcode.Usage, "", "alone: none there, true here"},
		{deepen("d", "--resume", "--visited", "64"), exitcode.Usage, "", "visited: none there, 64 here"},
		{deepen("d", "--resume", "--deepen-by", "2"), exitcode.Usage, "", "deepen-by: none there, 2 here"},
		{[]string{"search", "pastry", "--nodes", "16", "--strategy", "walk", "--durable", at("short"), "--time", "500ms", "--json"}, exitcode.OK, `"lost": `, ""}, // of a part that takes seconds
		{[]string{"durable", "info", at("d")}, exitcode.OK, "40,002, in 4 parts", ""},
		{deepen("shallow", "--depth", "3"), exitcode.OK, "exhaustive to depth 3", ""},
		{deepen("shallow", "--depth", "3", "--resume"), exitcode.OK, "exhaustive to depth 3", ""},
		{[]string{"durable", "info", at("shallow")}, exitcode.OK, "finished: iterative deepening completed", ""},
	} {
		out, errs, status := run(t, c.args...)
		if status != c.status || !strings.Contains(out, c.out) || !strings.Contains(errs, c.err) {
			t.Errorf("%v: exit status %d, must be %d\n%s%s", c.args, status, c.status, out, errs)
		}
	}
	damagedRuns(t, at("w"), "runs-000002.json", 4, walk("w", "--max-paths", "2100", "--resume"))
	damagedRuns(t, at("d"), "runs-000002.json", 2, deepen("d", "--max-paths", "40002", "--resume"))
	damagedRuns(t, at("d"), "reach-000001", 2, deepen("d", "--max-paths", "40002", "--resume"))
}

// Damaged data is rejected, wherever the damage is.
func damagedRuns(t *testing.T, dir, file string, times int, args []string) {
	t.Helper()
	first := filepath.Join(dir, file)
	whole, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := os.WriteFile(first, whole, 0o666); err != nil {
			t.Error(err)
		}
	}()
	refused := func(what string) {
		t.Helper()
		_, errs, status := run(t, args...)
		if status != exitcode.Usage || !strings.Contains(errs, file) {
			t.Errorf("%s: exit status %d: %s", what, status, errs)
		}
	}
	if whole[0] == '{' { // case matters, though not to those who read JSON
		if err := os.WriteFile(first, append([]byte(`{"S`), whole[3:]...), 0o666); err != nil {
			t.Fatal(err)
		}
		refused("a key")
	}
	for range times {
		damaged := append([]byte(nil), whole...)
		damaged[rand.IntN(len(damaged)-1)] ^= 1 << rand.IntN(8) // a newline behind it is nothing
		if err := os.WriteFile(first, damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		refused("a bit")
		if err := os.WriteFile(first, whole[:rand.IntN(len(whole)-2)], 0o666); err != nil {
			t.Fatal(err)
		}
		refused("a cut")
	}
	if err := os.Remove(first); err != nil {
		t.Fatal(err)
	}
	refused("it is missing")
}
