//go:build unix

package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/macemc/macemc/cmd/macemc/internal/live"
	"github.com/macemc/macemc/internal/check/exitcode"
)

// runReal executes the command in a process of its own and returns its output.
func runReal(t *testing.T, dir string, stdin string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := command(dir, args...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr, cmd.Stdin = &out, &errs, strings.NewReader(stdin)
	err := cmd.Run()
	return out.String(), errs.String(), exitCode(err)
}

// Nodes run as processes and form one tree. One of them is killed and started again. The checker reaches the same states, and continues
// from there.
func TestLiveProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	dir := t.TempDir()
	out, errs, status := runReal(t, dir, "", "live", "randtree", "--nodes", "4", "--dir", "run", "--pause", "30ms",
		"--kill", "2@600ms", "--start", "2@900ms", "--until", "live", "--time", "4m", "--json")
	var r live.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%v: %s%s", err, out, errs)
	}
	if status != 0 || r.Verdict != "ok" || !r.Live || r.Crashes != 1 || r.Steps < 10 || r.Compared < 4 || r.Disagreement != "" || len(r.Properties) != 6 {
		t.Fatalf("exit status %d, %+v\n%s", status, r, errs)
	}
	if r.Recording != filepath.Join("run", "recording") || !strings.Contains(errs, "n2 is killed") || !strings.Contains(errs, "live: all properties hold") {
		t.Errorf("%+v\n%s", r, errs)
	}

	out, errs, status = runReal(t, dir, "", "mdb", r.Recording, "--batch", "-x", "save run.path")
	if status != 0 || errs != "" || !strings.Contains(out, " steps are in run.path") {
		t.Errorf("save: exit status %d, %s%s", status, out, errs)
	}
	fromFile, _, status := runReal(t, dir, "", "replay", "run.path")
	fromDir, _, other := runReal(t, dir, "", "replay", r.Recording)
	want := fmt.Sprintf("%sthe execution reaches the same %d recorded states\n", fromFile, r.Compared)
	if status != 0 || other != 0 || fromDir != want || !strings.Contains(fromDir, "n2 crashes") {
		t.Errorf("replay of the folder (exit status %d): got\n%swant that of the file (%d)\n%s", other, fromDir, status, want)
	}
	// Every command that opens a path file also opens the folder.
	for _, c := range []struct {
		args   []string
		status int
		want   []string
	}{
		{[]string{"mdb", "--batch", "-x", "find event n2 crashes; next n2; goto end; properties"}, 0,
			[]string{": n2 crashes", ": n2 boots", "the state is live"}},
		{[]string{"graph"}, 0, []string{"* CRASH", "* boot "}},
		{[]string{"graph", "--format", "svg"}, 0, []string{"<svg", "boot"}},
		{[]string{"critical"}, 0, []string{"The run is not dead"}},
		{[]string{"report"}, 2, []string{"the run contains no violation"}},
		{[]string{"shrink"}, 0, []string{"the run contains no violation"}},
	} {
		out, errs, status = runReal(t, dir, "", append([]string{c.args[0], r.Recording}, c.args[1:]...)...)
		for _, want := range c.want {
			if status != c.status || !strings.Contains(out+errs, want) {
				t.Errorf("%v: exit status %d, want %d and %q in\n%s%s", c.args, status, c.status, want, out, errs)
			}
		}
	}
	out, errs, status = runReal(t, dir, "", "search", "--from", r.Recording, "--max-paths", "50", "--time", "4m")
	if status != 0 || !strings.Contains(out, "randtree: nothing found") {
		t.Errorf("search: exit status %d, %s%s", status, out, errs)
	}
	for _, c := range []struct{ args, want string }{
		{"--step 100000", "no step 100000; the run has "},
		{"--nodes 5", "--nodes contradicts --from"},
	} {
		out, errs, status = runReal(t, dir, "", append([]string{"search", "--from", r.Recording}, strings.Fields(c.args)...)...)
		if status != 2 || !strings.Contains(errs, c.want) {
			t.Errorf("search %s: exit status %d, %s%s", c.args, status, out, errs)
		}
	}
	first := filepath.Join(dir, r.Recording, "n1-0001-0001.rec")
	info, err := os.Stat(first)
	if err == nil {
		err = os.Truncate(first, info.Size()/3)
	}
	out, errs, status = runReal(t, dir, "", "replay", r.Recording)
	if err != nil || status != exitcode.Inconclusive || !strings.Contains(errs, "are not part of the run") || strings.Contains(out, "reaches") {
		t.Errorf("replay without the end of a recording: %v, exit status %d, %s%s", err, status, out, errs)
	}
}

// Nodes that share a process are killed and started together, and the run shows their crash together.
func TestLiveProcessOfTwo(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	dir := t.TempDir()
	out, errs, status := runReal(t, dir, "", "live", "multipaxos", "--nodes", "8", "--set", "fail=crash", "--set", "process=2", "--set", "changes=0",
		"--set", "requests=20", "--set", "pause=50", "--kill", "3@500ms", "--start", "2@900ms", "--until", "live", "--time", "4m", "--dir", "run", "--json")
	var r live.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%v: %s%s", err, out, errs)
	}
	if status != 0 || !r.Live || r.Crashes != 1 || r.Disagreement != "" || r.Compared < 8 {
		t.Errorf("exit status %d, %+v\n%s", status, r, errs)
	}
	if !strings.Contains(errs, "n2, n3 are killed") || !strings.Contains(errs, "n2, n3 are started") {
		t.Error(errs)
	}
	if out, errs, status := runReal(t, dir, "", "replay", r.Recording); status != 0 || strings.Count(out, " crashes") != 1 || !strings.Contains(out, "n2 crashes with n3") {
		t.Errorf("replay: exit status %d, %s%s", status, out, errs)
	}
	if _, err := os.Stat(filepath.Join(dir, "run", "n3", "disk.log")); err != nil {
		t.Error(err)
	}
}

// A recording of the defective build that stops before the bad delivery suffices to predict it.
func TestSearchOnwardFromARecording(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Parallel()
	dir := t.TempDir()
	out, errs, status := runReal(t, dir, "do 1 joinOverlay\nquit\n", "live", "randtree", "--nodes", "3", "--bug", "RT13", "--idle", "--dir", "run")
	if status != 3 || !strings.Contains(out, "n1 does joinOverlay") || !strings.Contains(out, "not live after") {
		t.Fatalf("exit status %d, %s%s", status, out, errs)
	}
	out, errs, status = runReal(t, dir, "", "search", "--from", filepath.Join("run", "recording"), "--time", "10m", "--no-shrink", "--walks", "40", "--walk-steps", "1000", "--out", "found", "--json")
	var r struct {
		Verdict, Kind string
		Bugs          []string
		Steps         int
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%v: %s%s", err, out, errs)
	}
	if status != 1 || r.Verdict != "violation" || r.Kind != "liveness" || len(r.Bugs) != 1 {
		t.Fatalf("exit status %d, %+v\n%s", status, r, errs)
	}
	whole, err := os.ReadFile(filepath.Join(dir, "found", "error.path"))
	if err != nil || !strings.Contains(string(whole), "\nlimit crashes=1\n") {
		t.Errorf("%v\n%s", err, whole)
	}
}

// Without a time limit, the run ends when the system is live. It reports when that was, ignoring liveness before a node was killed.
func TestLiveEndsWhenLive(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	for earliest, args := range map[float64][]string{
		0: {"randtree", "--nodes", "2"},
		2: {"chain", "--set", "fail=crash", "--set", "clients=3", "--set", "requests=50", "--nodes", "7", "--kill", "5@2s", "--until", "live", "--time", "4m"}, // which may stay away
	} {
		out, errs, status := runReal(t, t.TempDir(), "", append([]string{"live", "--dir", "run", "--json"}, args...)...)
		var r live.Report
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatalf("%v: %s%s", err, out, errs)
		}
		if status != 0 || !r.Live || r.LiveAfter <= earliest || r.LiveAfter >= r.Seconds || strings.Contains(errs, "the time is up") {
			t.Errorf("%v: exit status %d, %+v\n%s", args, status, r, errs)
		}
	}
}

// Commands on standard input are executed.
func TestLiveCommands(t *testing.T) {
	out, errs, status := runReal(t, t.TempDir(), "do 0 propose\ndo 0 sleep\nstate\nkill 1\ndo 1 propose\nkill 1\nkill 9\nstart 1\nnonsense\nquit\n", "live", "paxos", "--idle", "--time", "1m")
	for _, want := range []string{"n1 is killed", "n1 is not up", `"kill 9" is not a command`, "n0 does propose",
		`unknown action "sleep"; the actions are propose`, "n1 is started", `"nonsense" is not a command; known are kill N, start N, do N ACTION`} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s%s", want, out, errs)
		}
	}
	if status == 2 {
		t.Errorf("exit status %d\n%s%s", status, out, errs)
	}
}

func TestLiveUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct{ args, want string }{
		{"live", "macemc live needs a SYSTEM"},
		{"live nosuch", `unknown system "nosuch"`},
		{"live randtree --kill 3", `--kill "3" is not of the form N@TIME`},
		{"live randtree --start 9@1s", "with a node from 0 to 2"},
		{"live randtree --until dead", "only live is known"},
		{"live randtree --node 1", "--node needs --peers"},
		{"live randtree --peers 127.0.0.1:1", "--peers goes with --node"},
		{"live randtree --node 0 --peers 127.0.0.1:1 --json", "--json is for all nodes together"},
		{"live randtree --node 0 --peers 127.0.0.1:1", "1 addresses for the 3 nodes"},
		{"live randtree --node 0 --peers 10.1.2.3:1,127.0.0.1:2,127.0.0.1:3", "--public"},
		{"replay .", "is a folder without recordings of live nodes"},
		{"search --step 3 randtree", "--step needs --from; give both"},
		{"search --from nosuch.path", "no such file"},
	} {
		_, errs, status := run(t, strings.Fields(c.args)...)
		if status != 2 || !strings.Contains(errs, c.want) {
			t.Errorf("%s: exit status %d, %s", c.args, status, errs)
		}
	}
}

// A separate node that a signal ends has the exit status that the table of all commands specifies. After its time limit it is 0.
func TestLiveNodeEnds(t *testing.T) {
	t.Parallel()
	args := []string{"live", "pingack", "--node", "0", "--peers", "127.0.0.1:0,127.0.0.1:1", "--dir", "n0"}
	for signal, want := range map[syscall.Signal]int{syscall.SIGINT: exitcode.Interrupted, syscall.SIGTERM: exitcode.Terminated} {
		cmd := command(t.TempDir(), args...)
		errs, err := cmd.StderrPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		said := bufio.NewReader(errs)
		line, err := said.ReadString('\n')
		if err != nil || !strings.Contains(line, "n0 of pingack listens on") {
			t.Fatalf("%q, %v", line, err)
		}
		cmd.Process.Signal(signal)
		rest, _ := io.ReadAll(said)
		if status := exitCode(cmd.Wait()); status != want {
			t.Errorf("%v: exit status %d, want %d; %s", signal, status, want, rest)
		}
	}
	if _, errs, status := runReal(t, t.TempDir(), "", append(args, "--time", "100ms")...); status != exitcode.OK {
		t.Errorf("after its time: exit status %d, %s", status, errs)
	}
}

// Monitors judge the logs of live nodes: the value that is delivered twice is named, independent of concurrent events.
func TestLiveLogsObserved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	// Losses are random, and in about one of five runs nothing is lost. A busy machine takes longer.
	args := []string{"observe", "channel", "--bug", "NL2", "--set", "sends=6", "n0.jsonl", "n1.jsonl", "n2.jsonl"}
	var said, errors, out, errs string
	status := 0
	for i, within := 0, 700*time.Millisecond; i < 12; i, within = i+1, within*3/2 {
		log := filepath.Join(dir, strconv.Itoa(i))
		out, errs, _ = runReal(t, dir, "", "live", "channel", "--bug", "NL2", "--set", "sends=6", "--log", log, "--dir", "run"+strconv.Itoa(i), "--time", within.String())
		if said, errors, status = runReal(t, log, "", args...); status == exitcode.Violation {
			dir = log
			break
		}
	}
	for _, want := range []string{"VIOLATED in every order consistent with causality", "is delivered, [", "n0.jsonl:", "n2  machine.Sent[channel.Deliver]{From:2 To:0"} {
		if !strings.Contains(said, want) || status != exitcode.Violation {
			t.Errorf("exit status %d, %q is not in\n%s%s\nof\n%s%s", status, want, said, errors, out, errs)
		}
	}
	// The recording gives the same result.
	if !strings.Contains(out, "found: safety: monitor in order, each: ") || !strings.Contains(out, "observe run") {
		t.Errorf("what a monitor has found is not said:\n%s%s", out, errs)
	}
	// A part of the log has gaps, and is not reported as correct.
	if said, errors, status = runReal(t, dir, "", "observe", "channel", "n2.jsonl"); !strings.Contains(said,
		"NOT all events are in the log") || status == exitcode.OK {
		t.Errorf("exit status %d: %s%s", status, said, errors)
	}
	if _, errors, status = runReal(t, dir, "", "observe", "n0.jsonl", "--bug", "NL2"); !strings.Contains(errors, "--bug applies to logs only") ||
		status != exitcode.Usage {
		t.Errorf("exit status %d: %s", status, errors)
	}
	if err := os.WriteFile(filepath.Join(dir, "empty.jsonl"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if said, errors, status = runReal(t, dir, "", "observe", "channel", "empty.jsonl", "empty.jsonl"); !strings.Contains(said,
		"received no announcements") || status != exitcode.Inconclusive {
		t.Errorf("exit status %d: %s%s", status, said, errors)
	}
}
