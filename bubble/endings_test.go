//go:build macemc_overlay

package bubble_test

import (
	"context"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/sim"
)

// endings are ways in which a goroutine ends its process or does not terminate, with the expected findings.
var endings = map[string]struct {
	do   func()
	want []string
}{
	"panic":    {func() { panic("mine") }, []string{"mine", inInit}},
	"exit":     {func() { os.Exit(3) }, []string{"status 3", inInit}},
	"fatal":    {func() { log.Fatal("no more") }, []string{"status 1", "no more", inInit}},
	"deadlock": {func() { var mu sync.Mutex; mu.Lock(); mu.Lock() }, []string{"deadlock: goroutine"}},
	"loop": {func() {
		//lint:ignore SA5002 it is to have no end
		for {
		}
	}, []string{"the handler did not return", "bubble_test.init.func"}},
}

// inInit is the first frame that a report shows of a function above.
const inInit = " in:           bubble/endings_test.go:"

// ending is set in the environment of a process that checks one of the endings.
const ending = "MACEMC_TEST_ENDING"

func TestEnding(t *testing.T) {
	name := os.Getenv(ending)
	if name == "" {
		t.Skip("for TestEndings")
	}
	start := bubble.Call("start", func(f begin, _ context.Context) error { go f(); return nil })
	start.Times = 1
	mctest.Check(t, sim.System{
		Name: "ending", Nodes: 1, State: bubble.Rules, Actions: []sim.AnyAction{start},
		New: func(sim.NodeID) sim.Service {
			return bubble.Service(func(ctx context.Context, h *bubble.Host) error {
				h.Expose(begin(endings[name].do))
				<-ctx.Done()
				return nil
			})
		},
	})
}

// Each way in which a goroutine ends its process is a finding with a path.
func TestEndings(t *testing.T) {
	if testing.Short() {
		t.Skip("endless loops take their time")
	}
	for name, e := range endings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			cmd := exec.Command(os.Args[0], "-test.run=^TestEnding$", "-test.v")
			cmd.Dir, cmd.Env = dir, append(os.Environ(), ending+"="+name)
			if name == "pipe" { // it uses no processor, but does not wait for one
				cmd.Env = append(cmd.Env, "MACEMC_TIME=2s")
			}
			out, err := cmd.CombinedOutput()
			for _, want := range append(e.want, "--- FAIL: TestEnding", "start") {
				if err == nil || !strings.Contains(string(out), want) || strings.Contains(string(out), simext.ProgramExits) {
					t.Fatalf("%v, want %q:\n%s", err, want, out)
				}
			}
			if _, err := os.Stat(filepath.Join(dir, "testdata", "macemc", "TestEnding", "error.path")); err != nil {
				t.Errorf("%v:\n%s", err, out)
			}
		})
	}
}
