//go:build unix

package mctest_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/sim"
)

// idler is slow and never rests.
type idler struct {
	sim.Nop
	Count int
}

func TestIdler(t *testing.T) {
	onlyInside(t)
	mctest.CheckWith(t, sim.System{
		Nodes: 1, New: func(sim.NodeID) sim.Service { return &idler{} },
		Actions: []sim.AnyAction{sim.Action[*idler]{Name: "count", Do: func(i *idler, _ sim.Env) {
			time.Sleep(time.Millisecond)
			i.Count++
		}}},
		Properties: []sim.Property{{Name: "rested", Eventually: sim.Each(func(sim.NodeID, *idler) bool { return false })}},
	}, mctest.Options{Strategy: "walk", WalkSteps: 100, Time: time.Minute})
}

// Ctrl-C during the examination of a suspect ends the process with a report that names the suspect, whether all
// processes get it, as from a terminal, or only that of the test.
func TestCheck_Interrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a search")
	}
	for name, signal := range map[string]func(pid int) error{
		"all":   func(pid int) error { return syscall.Kill(-pid, syscall.SIGINT) },
		"first": func(pid int) error { return syscall.Kill(pid, syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			cmd := exec.Command(os.Args[0], "-test.run=^TestIdler$")
			cmd.Dir, cmd.Env = dir, append(os.Environ(), insideVar+"=1")
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", "macemc", "TestIdler", check.SuspectPath)
			for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
				if _, err := os.Stat(filepath.Join(dir, file)); err == nil {
					break
				}
			}
			if err := signal(cmd.Process.Pid); err != nil {
				t.Fatal(err)
			}
			err := cmd.Wait()
			if text := out.String(); err == nil || !strings.Contains(text, "--- FAIL: TestIdler (interrupted by SIG") || !strings.Contains(text, "liveness") || !strings.Contains(text, file) {
				t.Errorf("%v, want a report that names %s:\n%s", err, file, text)
			}
			if _, err := os.Stat(filepath.Join(dir, file)); err != nil {
				t.Error(err)
			}
		})
	}
}
