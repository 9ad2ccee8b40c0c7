//go:build unix

package cli

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/statelog"
	"github.com/macemc/macemc/internal/search/strategy"
)

// small returns a search of a few seconds that is stored in a folder.
func small(dir string, more ...string) []string {
	return append([]string{"search", "paxos", "--set", "proposers=3", "--strategy", "bfs", "--visited", "64", "--depth", "16", "--workers", "1",
		"--time", "10m", "--json", "--durable", dir}, more...)
}

type counts struct{ States, Transitions, Depth, Expanded, Disk int }

// stored returns the content of a folder.
func stored(t *testing.T, dir string) (all explore.Block) {
	t.Helper()
	l, err := statelog.Read(filepath.Join(dir, "states.log"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for b, err := range l.Blocks() {
		if err != nil {
			t.Fatal(err)
		}
		all.Origins, all.CacheFillers = append(all.Origins, b.Origins...), append(all.CacheFillers, b.CacheFillers...)
	}
	all.Mark = l.End()
	return all
}

// killed kills a search and all its processes at a random moment, unless it ends before.
func killed(t *testing.T, dir string, after time.Duration, more ...string) {
	t.Helper()
	cmd := command(dir, small("log", append(more, "--resume")...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(after, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	_ = cmd.Wait()
	kill.Stop()
}

// A search yields the same result, and stores the same data, however often it is killed, also if most of its data is on disk.
func TestDurableKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("searches for some seconds, several times")
	}
	t.Parallel()
	dir := t.TempDir()
	search := func(folder string, more ...string) (c counts) {
		t.Helper()
		out, err := command(dir, small(folder, append(more, "--resume")...)...).Output()
		if exitCode(err) != exitcode.OK || json.Unmarshal(out, &c) != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return c
	}
	want := search("whole")
	for _, more := range [][]string{nil, {"--memory", "24"}} {
		last := 0
		for range 3 {
			killed(t, dir, time.Duration(150+rand.IntN(500+500*len(more)))*time.Millisecond, more...)
			if _, err := os.Stat(filepath.Join(dir, "log", "states.log")); err != nil {
				continue
			}
			n := stored(t, filepath.Join(dir, "log")).States
			if n < last {
				t.Errorf("%d states are left, of %d", n, last)
			}
			t.Logf("%v: %d states", more, n)
			last = n
		}
		got := search("log", more...)
		if disk := got.Disk; (disk > 1<<20) != (more != nil) {
			t.Errorf("%v: %d bytes on disk", more, disk)
		}
		if got.Disk = 0; got != want || got.States < 100_000 {
			t.Errorf("%+v, undisturbed %+v", got, want)
		}
		sameLogs(t, filepath.Join(dir, "log"), filepath.Join(dir, "whole"))
		if left, err := filepath.Glob(filepath.Join(dir, "log", "spill*")); err != nil || len(left) > 0 {
			t.Errorf("%v %v is left", err, left)
		}
		if err := os.RemoveAll(filepath.Join(dir, "log")); err != nil {
			t.Fatal(err)
		}
	}
}

func sameLogs(t *testing.T, got, want string) {
	t.Helper()
	a, b := stored(t, got), stored(t, want)
	if a.Mark != b.Mark || len(a.Origins) != len(b.Origins) || len(a.CacheFillers) != len(b.CacheFillers) {
		t.Errorf("%+v, undisturbed %+v", a.Mark, b.Mark)
	}
	for i := range a.Origins {
		if a.Origins[i] != b.Origins[i] {
			t.Fatalf("state %d is from %v, undisturbed from %v", i, a.Origins[i], b.Origins[i])
		}
	}
}

// A search that a signal ends is stored. No other process may use its folder meanwhile.
func TestDurableInterrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Parallel()
	dir := t.TempDir()
	args := []string{"search", "randtree", "--strategy", "bfs", "--time", "10m", "--durable", "log", "--resume"}
	for i, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		cmd, before := command(dir, args...), sizeOf(filepath.Join(dir, "log", "states.log"))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(3 * time.Minute); sizeOf(filepath.Join(dir, "log", "states.log")) < before+10_000 && time.Now().Before(end); {
			time.Sleep(10 * time.Millisecond)
		}
		if i == 0 {
			out, err := command(dir, args...).CombinedOutput()
			if exitCode(err) != exitcode.Usage || !strings.Contains(string(out), "in another process") {
				t.Errorf("at the same time: %v %s", err, out)
			}
		}
		cmd.Process.Signal(signal)
		if status := exitCode(cmd.Wait()); status != 128+int(signal) {
			t.Errorf("%v: exit status %d", signal, status)
		}
		if b := stored(t, filepath.Join(dir, "log")); b.States == 0 || b.Expanded == 0 {
			t.Errorf("%v: %+v is left", signal, b.Mark)
		}
	}
}

// sizeOf returns the size of a file, or 0 if it does not exist.
func sizeOf(name string) int64 {
	info, err := os.Stat(name)
	if err != nil {
		return 0
	}
	return info.Size()
}

// The commands for a folder, and the errors that they return.
func TestDurable(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir := filepath.Join(t.TempDir(), "log")
	base := []string{"search", "paxos", "--strategy", "bfs", "--durable", dir}
	for _, c := range []struct {
		args   []string
		status int
		out    string // in standard output
		err    string // in standard error
	}{
		{[]string{"durable", "info", dir}, exitcode.Usage, "", " holds no search"},
		{[]string{"durable", "recheck", dir}, exitcode.Usage, "", " holds no search"},
		{append(base, "--depth", "8"), exitcode.OK, "stored in " + dir, ""},
		{base, exitcode.Usage, "", "holds a search already: --resume continues it"},
		{append(base, "--resume", "--depth", "4"), exitcode.Usage, "", "the log goes deeper than 4 steps already"},
		{append(base, "--resume", "--crashes", "1"), exitcode.Usage, "", "crashes: 0 there, 1 here"},
		{append(base, "--resume", "--visited", "64"), exitcode.Usage, "", "visited: exact there, 64 here"},
		{append(base, "--resume", "--property", "agreement"), exitcode.Usage, "", "macemc durable recheck evaluates other properties"},
		{append(base, "--resume", "--set", "proposers=3"), exitcode.Usage, "", "parameter proposers: 2 there, 3 here"},
		{append(base, "--resume", "--bug", "PX3"), exitcode.Usage, "", "the handler of n0 (*paxos.Proposer)"},
		{[]string{"durable", "info", dir}, exitcode.OK, "unfinished; --resume continues it", ""},
		{[]string{"durable", "recheck", dir}, exitcode.Usage, "", "the search is not finished"},
		{append(base, "--resume"), exitcode.OK, "complete: 98,160 states, 506,256 transitions", "states, which are checked again"},
		{[]string{"durable", "info", dir, "--json"}, exitcode.OK, `"finished": true`, ""},
		{[]string{"durable", "info", dir}, exitcode.OK, "98,160; all expanded", ""},
		{[]string{"durable", "recheck", dir, "--property", "agreement"}, exitcode.OK, "complete: 98,160 states", ""},
		{[]string{"search", "paxos", "--strategy", "dfs", "--durable", dir}, exitcode.Usage, "",
			"--durable needs a strategy that can be resumed (" + strings.Join(strategy.Names(strategy.Durable), ", ") + "), not dfs"},
		{[]string{"search", "paxos", "--durable", dir, "--resume"}, exitcode.Usage, "", "strategy: none there, deepening here"},
		{[]string{"search", "paxos", "--resume"}, exitcode.Usage, "", "needs --durable"},
		{append(base, "--reduce", "full"), exitcode.Usage, "", "cannot be combined"},
		{append(base, "--crash-model", "auto"), exitcode.Usage, "", "cannot be combined"},
		{append(base, "--keep-going"), exitcode.Usage, "", "contradict each other"},
	} {
		out, stderr, status := run(t, c.args...)
		if status != c.status || !strings.Contains(out, c.out) || !strings.Contains(stderr, c.err) {
			t.Errorf("%v: exit status %d, want %d with %q and %q:\n%s%s", c.args, status, c.status, c.out, c.err, out, stderr)
		}
	}
	log := filepath.Join(dir, "states.log")
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	// The first search wrote the first block, which begins behind the first line, and the resumed search those behind it.
	data[bytes.IndexByte(data, '\n')+100] ^= 1
	if err := os.WriteFile(log, data, 0o644); err != nil {
		t.Fatal(err)
	}
	if out, stderr, status := run(t, "durable", "info", dir); status != exitcode.Usage || !strings.Contains(stderr, "is damaged, and good ones come behind it") {
		t.Errorf("a damaged log: exit status %d, %s%s", status, out, stderr)
	}
}
