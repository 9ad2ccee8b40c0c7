//go:build macemc_overlay

package facts

import (
	"bytes"
	"encoding/json"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// plain returns the facts that the program sees in plain Go.
func plain(t *testing.T, args, env []string) (seen map[string]string) {
	file := filepath.Join(t.TempDir(), args[0])
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", file, "./plain")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var out bytes.Buffer
	run := exec.CommandContext(t.Context(), file, args[1:]...)
	run.Env, run.Stderr, run.Dir = env, &out, "/"
	if err := run.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	if err := json.Unmarshal(out.Bytes(), &seen); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	return seen
}

// differ are the facts that docs/goroutines.md names as different: permissions, identity and times of files are not stored.
var differ = []string{"chmod", "mode", "same file", "set file's time"}

// A node sees the same facts as a process in plain Go.
func TestAll(t *testing.T) {
	home := t.TempDir()
	args, env := []string{"facts", "-x", "y"}, []string{"FACTS=yes", "HOME=" + home, "PATH=/bin"}
	want := plain(t, args, env)
	var got map[string]string
	r, err := search.Run(t.Context(), search.Config{Workers: 1, MaxPaths: 1, WalkSteps: 5000, Time: time.Minute, System: sim.System{
		Name: "facts", Nodes: 1, State: bubble.Rules, Network: netsim.Streams{}, Interleave: sim.FIFO, Timing: sim.Prompt,
		New: func(sim.NodeID) sim.Service {
			return bubble.Command(func() { got = All() }, args, env, bubble.DataDir(home))
		},
		Properties: []sim.Property{{Name: "ends", Eventually: ended("exit status 0")}},
	}})
	if err != nil || r.Finding != nil || len(got) != len(want) || len(got) < 60 {
		t.Fatalf("%v, %d facts, want %d: %+v", err, len(got), len(want), r)
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if slices.Contains(differ, name) != (got[name] != want[name]) {
			t.Errorf("%s:\n  a node sees %s\n  plain Go sees %s", name, got[name], want[name])
		}
	}
	t.Logf("%d facts", len(got))
}
