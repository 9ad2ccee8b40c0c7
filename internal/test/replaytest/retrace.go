// Package retrace lets tests show that a run of a system is the same each time, in one process and in others.
package replaytest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/sim"
)

// child is set in the environment of processes that only tell their traces.
const child = "MACEMC_RETRACE"

// steps is the length of a run, unless it ends before.
const steps = 300

// Check executes a random run of a system, with faults, first come first served and with drawn schedules, so many times in this process
// and once in each of so many others, and fails the test when one differs. The others run the same test.
func Check(t *testing.T, sys sim.System, times, processes int) {
	if os.Getenv(child) != "" {
		times, processes = 1, 0
	}
	var all []string
	for _, how := range []sim.Interleave{sim.FIFO, sim.Random} {
		sys.Interleave = how
		first, err := trace(&sys)
		if err != nil {
			t.Fatalf("%v: %v", how, err)
		}
		for i := 1; i < times; i++ {
			again, err := trace(&sys)
			if err != nil {
				t.Fatalf("%v: run %d: %v", how, i, err)
			}
			if again != first {
				t.Fatalf("%v: run %d is %s, the first one %s", how, i, again, first)
			}
		}
		t.Logf("%v: %s", how, first)
		all = append(all, first)
	}
	text := "traces: " + strings.Join(all, ", ") + "\n"
	if os.Getenv(child) != "" {
		fmt.Print(text)
	}
	for i := range processes {
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.count=1")
		cmd.Env = append(os.Environ(), child+"=1")
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), text) {
			t.Fatalf("process %d: %v\n%s, and here %s", i, err, out, text)
		}
	}
}

// trace is a hash of all states of a run, and of what happened in between.
func trace(sys *sim.System) (string, error) {
	w, err := kernel.NewWorld(sys, kernel.Options{})
	if err != nil {
		return "", err
	}
	src := choose.NewRandom(1, 1)
	src.Faults = true
	run := replay.NewRun(w)
	var h xxhash.Digest
	h.Reset()
	note := func(what string) {
		f := w.Fingerprint()
		fmt.Fprintln(&h, what)
		binary.Write(&h, binary.LittleEndian, f)
	}
	if err := run.Start(src); err != nil {
		return "", err
	}
	note("start")
	for run.Steps() < steps {
		ordinary := len(w.Enabled())
		faults := len(w.Injections(nil))
		if ordinary == 0 {
			break
		}
		index := src.IntN(ordinary)
		if faults > 0 && src.IntN(20) == 0 {
			index = ordinary + src.IntN(faults)
		}
		ev, _ := run.Event(index)
		key := w.Key(ev)
		err := run.Step(index, src)
		note(key)
		if finding, ok := errors.AsType[*sim.Finding](err); ok && finding.Kind != sim.Nondeterminism {
			fmt.Fprintln(&h, finding.Kind, finding.Message)
			break
		}
		if err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%016x after %d steps", h.Sum64(), run.Steps()), nil
}
