//go:build unix

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// loops is a system that does not return in the third step. Before, it writes the file sign if possible.
var loops = spec.Entry{
	Name: "loops", Summary: "does not return", MinNodes: 1, MaxNodes: 1, DefaultNodes: 1, Limits: sim.Limits{sim.Crashes: 1},
	Params: []spec.Param{{Name: "where", Kind: spec.OneOf, Default: "handler", Values: []string{"handler", "property", "explain", "crash", "recursion"}, Help: "what loops"}},
	Build: func(c spec.Config) (sim.System, error) {
		at := func(where string, did int) {
			if c.Text("where") == where && did == 2 {
				_ = os.WriteFile(sign, nil, 0o600)
			}
			for i := 0; c.Text("where") == where && did == 2; i++ {
				did ^= i & 1 << 8
				did &= 2
			}
		}
		sys := sim.System{
			Name: "loops", Nodes: 1, New: func(sim.NodeID) sim.Service { return &loop{} },
			Actions: []sim.AnyAction{sim.Action[*loop]{Name: "go", Times: 4, Do: func(l *loop, _ sim.Env) {
				at("handler", l.Did)
				if c.Text("where") == "recursion" && l.Did == 2 {
					debug.SetMaxStack(200 << 20) // a fifth of the default, which takes seconds to fill
					l.Did = down(l.Did)
				}
				l.Did++
			}}},
			Properties: []sim.Property{
				{Name: "fine", Always: func(*sim.View) bool { return true }},
				{Name: "returns", Always: sim.Each(func(_ sim.NodeID, l *loop) bool { at("property", l.Did); return true })},
				{
					Name: "explained", Always: sim.Each(func(_ sim.NodeID, l *loop) bool { return c.Text("where") != "explain" || l.Did != 2 }),
					Explain: func(*sim.View) string { at("explain", 2); return "" },
				},
			},
		}
		if c.Text("where") == "crash" {
			sys.MayCrash = func(sim.NodeID) bool { at("crash", 2); return true }
		}
		return sys, nil
	},
}

// down calls itself until the stack is full.
func down(n int) int {
	if n < 0 {
		return 0
	}
	return down(n+1) + 1
}

type loop struct {
	sim.Nop
	Did int
}

// A property or handler that does not return is a violation, which names the property, if it is one, and its place in the code. Searches of
// runs and of states find it, and its run reproduces it.
func TestDoesNotReturn(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for what does not return")
	}
	t.Parallel()
	for _, c := range []struct{ where, strategy, want string }{
		{"handler", "bfs", "the handler did not return within 500ms"},
		{"recursion", "bfs", "overflows the stack"}, // if it takes longer than the time limit, too
		{"property", "bfs", `property "returns" did not return within 500ms (loops_unix_test.go:`},
		{"property", "deepening", `property "returns" did not return within 500ms (loops_unix_test.go:`},
		{"crash", "bfs", "MayCrash did not return within 500ms (loops_unix_test.go:"},
	} {
		t.Run(c.where+" "+c.strategy, func(t *testing.T) {
			dir := t.TempDir()
			out, err := command(dir, "search", "loops", "--set", "where="+c.where, "--strategy", c.strategy, "--handler-limit", "50ms",
				"--out", "out", "--no-shrink").CombinedOutput()
			text := strings.ReplaceAll(strings.Join(strings.Fields(string(out)), " "), "(cli/", "(")
			if code := exitCode(err); code != exitcode.Violation || !strings.Contains(text, "DIVERGENCE") || !strings.Contains(text, c.want) ||
				!strings.Contains(text, "loops_unix_test.go") {
				t.Fatalf("exit status %d\n%s", code, out)
			}
			if c.strategy != "bfs" || c.where != "property" { // replaying waits for seconds
				return
			}
			out, err = command(dir, "replay", filepath.Join("out", "error.path")).CombinedOutput()
			if code := exitCode(err); code != exitcode.Violation || !strings.Contains(string(out), "did not return within 2s") {
				t.Errorf("replay: exit status %d\n%s", code, out)
			}
		})
	}
}

// A violation with an Explain that ends or blocks the process is a violation of its property.
func TestFailingExplain(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	t.Parallel()
	for _, c := range []struct{ system, strategy, want string }{
		{"loops", "dfs", "its Explain did not return"},
		{"loops", "walk", "its Explain did not return"},
		{"exits", "bfs", "its Explain ends the process with exit status 7"},
		{"exits", "deepening", "its Explain ends the process with exit status 7"},
	} {
		t.Run(c.system+" "+c.strategy, func(t *testing.T) {
			dir := t.TempDir()
			cmd := command(dir, "search", c.system, "--set", "where=explain", "--strategy", c.strategy, "--handler-limit", "100ms",
				"--out", "out", "--json", "--junit", "junit.xml")
			var said strings.Builder
			cmd.Stderr = &said
			out, err := cmd.Output()
			var rep struct{ Kind, Property, Message string }
			if e := json.Unmarshal(out, &rep); e != nil {
				t.Fatalf("%v: %s%s", e, out, said.String())
			}
			property := map[string]string{"loops": "explained", "exits": "few"}[c.system]
			if code := exitCode(err); code != exitcode.Violation || rep.Kind != "safety" || rep.Property != property ||
				!strings.Contains(rep.Message, c.want) {
				t.Errorf("exit status %d, %+v\n%s", code, rep, said.String())
			}
			if text, err := os.ReadFile(filepath.Join(dir, "junit.xml")); err != nil || !strings.Contains(string(text), c.want) {
				t.Errorf("%v: %s", err, text)
			}
			text, err := command(dir, "replay", filepath.Join("out", "error.path")).CombinedOutput()
			if code := exitCode(err); code != exitcode.Violation || !strings.Contains(string(text), c.want) {
				t.Errorf("replay: exit status %d\n%s", code, text)
			}
		})
	}
}

// A signal ends a search in which a handler does not return, with a report.
func TestInterruptLoop(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for what does not return")
	}
	t.Parallel()
	for _, where := range []string{"handler", "property"} {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		cmd := command(t.TempDir(), "search", "loops", "--set", "where="+where, "--strategy", "bfs", "--handler-limit", "2s", "--json")
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		await(t, filepath.Join(cmd.Dir, sign))
		cmd.Process.Signal(syscall.SIGTERM)
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		select {
		case err := <-done:
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != exitcode.Terminated && exit.ExitCode() != exitcode.Violation ||
				!strings.Contains(stdout.String(), `"verdict"`) {
				t.Errorf("%s: %v: %s%s", where, err, stdout.String(), stderr.String())
			}
		case <-ctx.Done():
			cmd.Process.Signal(os.Kill)
			t.Errorf("%s: it does not end", where)
		}
	}
}

// A goroutine that runs without a scheduling point is a finding if the test does not end before -timeout either, when it is executed without
// exploration. A sleep of no time is such a point.
func TestTest_EndsLoop(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 60 s of CPU time")
	}
	t.Parallel()
	dir := testFolder(t, `package spin

import (
	"testing"
	"time"
)

var sink int

func TestFine(t *testing.T) {
	stop := false
	go func() { stop = true }()
	for !stop {
		time.Sleep(0)
	}
}

func TestSpin(t *testing.T) {
	done := make(chan bool)
	go func() {
		for i := 0; ; i++ {
			sink = i
		}
	}()
	<-done
}
`)
	text, err := command(dir, "test", "-count=1", "-v", "-vet=off", "-explore-time=1s", "-timeout=60s", ".").CombinedOutput()
	if !strings.Contains(string(text), "TestSpin: a run computes for more than 10 s without a scheduling point") {
		t.Skip("the machine is too slow: the goroutine did not get 10 s of CPU time")
	}
	for _, want := range []string{"NO END: goroutine 2 loops without a scheduling point at x_test.go:21\n", "--- PASS: TestFine", "panic: test timed out after 1m0s\n"} {
		if code := exitCode(err); code != exitcode.Violation || !strings.Contains(string(text), want) {
			t.Errorf("exit status %d, %q is missing:\n%s", code, want, text)
		}
	}
}
