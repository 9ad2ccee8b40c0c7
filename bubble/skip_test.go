//go:build !macemc_overlay

package bubble_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/sim"
)

func idle() sim.System {
	return sim.System{Name: "idle", Nodes: 1, State: bubble.Rules, New: func(sim.NodeID) sim.Service {
		return bubble.Service(func(ctx context.Context, _ *bubble.Host) error { <-ctx.Done(); return nil })
	}}
}

func TestIdle(t *testing.T) { mctest.Check(t, idle()) }
func TestIdleReplay(t *testing.T) {
	if os.Getenv("MACEMC_TEST_PATH") == "" {
		t.Skip("run by TestSkipped")
	}
	mctest.Replay(t, idle(), os.Getenv("MACEMC_TEST_PATH"))
}

// Without the changed runtime go test skips systems of programs, or fails if running them is required. Its message gives advice.
func TestSkipped(t *testing.T) {
	path := t.TempDir() + "/idle.path"
	if err := os.WriteFile(path, []byte("macemc path 1\nsystem idle\nnodes 1\nend 0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []string{"TestIdle", "TestIdleReplay"} {
		for _, c := range []struct{ flag, want string }{
			{"-macemc.no-skip=false", "--- SKIP: "}, {"-macemc.no-skip", "--- FAIL: "}, {"-macemc.in-process", "--- SKIP: "},
		} {
			cmd := exec.Command(os.Args[0], "-test.run=^"+test+"$", "-test.v", c.flag)
			cmd.Env = append(os.Environ(), "MACEMC_TEST_PATH="+path)
			out, _ := cmd.CombinedOutput()
			if text := string(out); !strings.Contains(text, c.want+test) || !strings.Contains(text, "macemc test ./PKG") {
				t.Errorf("%s %s: want %q in\n%s", test, c.flag, c.want, text)
			}
		}
		cmd := exec.Command(os.Args[0], "-test.run=^"+test+"$")
		cmd.Env = append(os.Environ(), "MACEMC_TEST_PATH="+path)
		if out, _ := cmd.CombinedOutput(); !strings.Contains(string(out), "macemc: "+test+" is skipped, nothing was checked: ") {
			t.Errorf("%s: without -v nothing says that it is skipped:\n%s", test, out)
		}
	}
}
