// Package replaytest checks that a run of a system is reproducible, in one process and in others.
package replaytest

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

var (
	times     = flag.Int("times", 10, "how often a run is repeated")
	processes = flag.Int("processes", 1, "in how many other processes a run is repeated")
)

// child is set in the environment of processes that only print their traces. For Finding it names the file of the path.
const child = "MACEMC_RETRACE"

// steps is the maximum length of a run.
const steps = 300

// Check executes random runs of a system with faults, first come first served and with drawn schedules. It executes
// each several times in this process and once in each of several others, which run the same test, and fails if one
// differs.
func Check(t *testing.T, sys sim.System) {
	times, processes := *times, *processes
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
		out, err := again(t, "1")
		if err != nil || !strings.Contains(out, text) {
			t.Fatalf("process %d: %v\n%s, and here %s", i, err, out, text)
		}
	}
}

// again runs the test in another process and returns its output.
func again(t *testing.T, value string, flags ...string) (string, error) {
	cmd := exec.Command(os.Args[0], append([]string{"-test.run=^" + t.Name() + "$", "-test.count=1"}, flags...)...)
	cmd.Env = append(append(os.Environ(), simext.Inherited...), child+"="+value)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// hash is a hash of the steps of a run and the states after them.
type hash struct {
	xxhash.Digest
	world kernel.World
}

// newHash returns the hash of a run that has been started.
func newHash(w kernel.World) *hash {
	h := &hash{world: w}
	h.Reset()
	h.note("start")
	return h
}

func (h *hash) note(what string) {
	fmt.Fprintln(h, what)
	binary.Write(h, binary.LittleEndian, h.world.Fingerprint())
}

// trace returns a hash of all states and steps of a run.
func trace(sys *sim.System) (string, error) {
	w, err := kernel.NewWorld(sys, kernel.Options{})
	if err != nil {
		return "", err
	}
	src := choose.NewRandom(1, 1)
	src.Faults = true
	run := replay.NewRun(w)
	if err := run.Start(src); err != nil {
		return "", err
	}
	h := newHash(w)
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
		h.note(key)
		if finding, ok := errors.AsType[*sim.Finding](err); ok && finding.Kind != sim.Nondeterminism {
			fmt.Fprintln(h, finding.Kind, finding.Message)
			break
		}
		if err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%016x after %d steps", h.Sum64(), run.Steps()), nil
}
