package mctest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/sim"
)

const insideVar = "MCTEST_INSIDE"

// onlyInside skips tests that other tests run in a separate process.
func onlyInside(t *testing.T) {
	if os.Getenv(insideVar) == "" {
		t.Skip("run by other tests")
	}
}

// run runs one test of this package in a separate process, in the folder dir, with the given variables and flags.
func run(t *testing.T, dir, name string, env ...string) (output string, passed bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^"+name+"$", "-test.v", "-test.short", "-test.count=1")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), insideVar+"=1")
	for _, e := range env {
		if strings.HasPrefix(e, "-") {
			cmd.Args = append(cmd.Args, e)
		} else {
			cmd.Env = append(cmd.Env, e)
		}
	}
	out, err := cmd.CombinedOutput()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	return string(out), err == nil
}

func wantAll(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, w := range wants {
		if !regexp.MustCompile(w).MatchString(text) {
			t.Errorf("%q is missing in\n%s", w, text)
		}
	}
}

// The finding is in the log, the run is beside the test, and executing it shows the same finding.
func TestFinding(t *testing.T) {
	dir := t.TempDir()
	out, passed := run(t, dir, "TestPingAck")
	if passed {
		t.Errorf("passed:\n%s", out)
	}
	wantAll(t, out,
		`TestPingAck: LIVENESS VIOLATION .*2 nodes, loss 1 of 1 used, timing SometimesBounded:100ms`,
		`violated:\s+every ping is acknowledged`,
		`critical step:\s*step \d+: network loses Ack\{\d\} n1->n0`,
		`0 of 200 random continuations recovered`,
		`then, in a longer run: .*n0 timer resend`,
		`nearest run that recovered`,
		`macemc mdb testdata/macemc/TestPingAck/error.path`,
		`go test -run '\^TestPingAck\$' . -macemc.replay=testdata/macemc/TestPingAck/error.path`,
	)
	folder := filepath.Join(dir, "testdata", "macemc", "TestPingAck")
	for _, name := range []string{"error.path", "live.path", "original.path", "report.html", "report.md", "report.json"} {
		if info, err := os.Stat(filepath.Join(folder, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}

	if ignored, err := os.ReadFile(filepath.Join(dir, "testdata", "macemc", ".gitignore")); err != nil || !strings.HasSuffix(string(ignored), "\n*\n!*/\n!*-[0-9]*.path\n") {
		t.Errorf("findings are not ignored by git: %q, %v", ignored, err)
	}

	if !testing.Short() { // the same finding does not create a second folder
		run(t, dir, "TestPingAck")
		if entries, _ := os.ReadDir(folder); len(entries) != 6 {
			t.Errorf("%d entries in %s, want the 6 files", len(entries), folder)
		}
	}

	out, passed = run(t, dir, "TestPingAck", "MACEMC_REPLAY=testdata/macemc/TestPingAck/error.path")
	if passed {
		t.Errorf("following the path passed:\n%s", out)
	}
	wantAll(t, out, `network loses Ack`, `liveness: every ping is acknowledged`)

	out, passed = run(t, dir, "TestPingAck", "MACEMC_REPLAY=testdata/macemc/TestPingAck/live.path")
	if !passed {
		t.Errorf("following the live path failed:\n%s", out)
	}

	// A path of other code shows what is left of its run.
	text, err := os.ReadFile(filepath.Join(dir, "testdata/macemc/TestPingAck/live.path"))
	if err != nil {
		t.Fatal(err)
	}
	other := regexp.MustCompile(`(?m)^\d+ deliver (\S+) \w+`).ReplaceAllString(string(text), "0 deliver $1 Other")
	if other == string(text) {
		t.Fatalf("no message in\n%s", text)
	}
	if err := os.WriteFile(filepath.Join(dir, "other.path"), []byte(other), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _ = run(t, dir, "TestPingAck", "MACEMC_REPLAY=other.path")
	wantAll(t, out, `code or settings have changed since the run was written; \d+ steps? fits?, th`, `this cannot happen here`)
}

func TestCheck_NothingFound(t *testing.T) {
	dir := t.TempDir()
	out, passed := run(t, dir, "TestNoLoss", "MACEMC_MAX_PATHS=100")
	if !passed {
		t.Errorf("failed:\n%s", out)
	}
	wantAll(t, out, `TestNoLoss: nothing found in .*NOT a proof`)
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestBadEnvironment(t *testing.T) {
	for _, c := range []struct{ env, want string }{
		{"MACEMC_TIME=soon", `MACEMC_TIME is "soon", must be a positive duration`},
		{"MACEMC_TIME=-1s", `MACEMC_TIME is "-1s", must be a positive duration`},
		{"MACEMC_SEED=0", `MACEMC_SEED is "0", must be a positive integer`},
		{"MACEMC_WORKERS=many", `MACEMC_WORKERS is "many", must be a positive integer`},
		{"MACEMC_REPLAY=missing.path", `-macemc.replay: open missing.path`},
		{"MACEMC_MAX_PATHS=-1", `MACEMC_MAX_PATHS is "-1", must be a positive integer`},
		{"MACEMC_STRATEGY=luck", `MACEMC_STRATEGY is "luck", must be one of deepening, walk, `},
		{"MACEMC_INTERLEAVE=lifo", `MACEMC_INTERLEAVE is "lifo", interleaving "lifo" is not one of rotate, fifo`},
		{"MACEMC_IN_PROCESS=perhaps", `MACEMC_IN_PROCESS is "perhaps", must be true or false`},
		{"-macemc.seed=0", `-macemc.seed is "0", must be a positive integer`},
		{"-test.timeout=500ms", `go test ends the tests of this package in 0s; give it a longer -timeout`},
	} {
		out, passed := run(t, t.TempDir(), "TestPingAck", c.env)
		if passed || !strings.Contains(out, c.want) {
			t.Errorf("%s: want %q, got\n%s", c.env, c.want, out)
		}
	}
}

// spinner never returns from its second message.
type spinner struct {
	sim.Nop
	Got int
}

func (s *spinner) Timer(sim.Env, any) {
	for s.Got++; s.Got > 1; {
	}
}

func (s *spinner) Boot(env sim.Env) { env.SetTimer("first", 1); env.SetTimer("second", 2) }

// TestSpinner fails: a new process of this test confirms that its handler does not return.
func TestSpinner(t *testing.T) {
	onlyInside(t)
	mctest.Check(t, sim.System{
		Nodes: 1, New: func(sim.NodeID) sim.Service { return &spinner{} },
		Properties: []sim.Property{{Name: "quiet", Always: func(*sim.View) bool { return true }}},
	})
}

func TestDivergence(t *testing.T) {
	if testing.Short() {
		t.Skip("waits ten times a second")
	}
	out, passed := run(t, t.TempDir(), "TestSpinner", "MACEMC_TIME=1m")
	if passed {
		t.Errorf("passed:\n%s", out)
	}
	wantAll(t, out, `TestSpinner: DIVERGENCE`, `the handler did not return within 5s`, `n0 timer "second"`)
}
