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
			cmd.Dir, cmd.Env = dir, append(os.Environ(), insideVar+"=1", "TMPDIR="+t.TempDir())
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

func TestTerminator(t *testing.T) {
	onlyInside(t)
	mctest.Check(t, sim.System{
		Nodes: 1, New: func(sim.NodeID) sim.Service { return &idler{} },
		Actions: []sim.AnyAction{sim.Action[*idler]{Name: "count", Do: func(*idler, sim.Env) {
			for range 2 {
				syscall.Kill(os.Getppid(), syscall.SIGTERM)
				time.Sleep(2 * repeatTime)
			}
		}}},
	})
}

// repeatTime is the time within which a second signal counts as the same one.
const repeatTime = 200 * time.Millisecond

// The exit status of a check that signals ended fits its verdict.
func TestCheck_InterruptedStatus(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestTerminator$")
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), insideVar+"=1", "TMPDIR="+t.TempDir())
	out, _ := cmd.CombinedOutput()
	const terminated = 128 + int(syscall.SIGTERM)
	if got := cmd.ProcessState.ExitCode(); got != terminated || !strings.Contains(string(out), "INTERRUPTED") {
		t.Errorf("exit status %d, want %d and a report:\n%s", got, terminated, out)
	}
}
