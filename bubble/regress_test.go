//go:build macemc_overlay

package bubble_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/sim"
)

// panicsVar is set in a process that runs the tests of panicking systems. Its value selects the second at which a goroutine panics.
const panicsVar = "MACEMC_TEST_PANICS"

func panicking(how sim.Interleave) sim.System {
	return sim.System{
		Name: "panicking", Nodes: 1, State: bubble.Rules, Interleave: how,
		New: func(sim.NodeID) sim.Service {
			return bubble.Service(func(_ context.Context, h *bubble.Host) error {
				seconds := ""
				h.Observe(func() any { return seconds })
				for {
					time.Sleep(time.Second)
					if seconds += "x"; seconds == os.Getenv(panicsVar) {
						go func() { panic("told to") }()
					}
				}
			})
		},
		Properties: []sim.Property{{Name: "quiet", Always: func(*sim.View) bool { return true }}},
	}
}

const panickingPath = "testdata/macemc/TestPanicking/error.path"

func insidePanics(t *testing.T) {
	if os.Getenv(panicsVar) == "" {
		t.Skip("run by other tests")
	}
}

func TestPanicking(t *testing.T) {
	insidePanics(t)
	mctest.Check(t, panicking(sim.Random))
}

func TestPanickingReplay(t *testing.T) {
	insidePanics(t)
	mctest.Replay(t, panicking(sim.FIFO), panickingPath) // the schedule comes from the file
}

func TestPanickingLast(t *testing.T) { insidePanics(t) }

// A panic in a goroutine during a regression test, at the last step of its path or before, is reported with its steps. The other tests
// still run.
func TestReplay_PanicInGoroutine(t *testing.T) {
	dir := t.TempDir()
	run := func(tests, panics string) string {
		cmd := exec.Command(os.Args[0], "-test.run="+tests, "-test.v")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), panicsVar+"="+panics)
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	if out := run("^TestPanicking$", "xxx"); !strings.Contains(out, "at step 3:") {
		t.Fatalf("no path:\n%s", out)
	}
	for panics, step := range map[string]string{"xxx": "at step 3:", "x": "at step 1:"} {
		out := run("^TestPanicking(Replay|Last)$", panics)
		for _, want := range []string{"the run still violates", "panic: told to", step, "n0 timer wake", "--- FAIL: TestPanickingReplay", "--- PASS: TestPanickingLast"} {
			if !strings.Contains(out, want) {
				t.Errorf("panics at %s: want %q in\n%s", panics, want, out)
			}
		}
	}
	if out := run("^TestPanickingReplay$", "never"); !strings.Contains(out, "the run violates nothing") {
		t.Errorf("without the panic:\n%s", out)
	}
}
