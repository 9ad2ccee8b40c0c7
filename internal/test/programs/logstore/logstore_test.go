//go:build macemc_overlay

package logstore

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/internal/test/replaytest"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// stored announces that Put has returned, and found announces the content after a boot.
type (
	stored struct{ N int }
	found  struct{ N int }
)

// count stores consecutive numbers.
func count(_ context.Context, h *bubble.Host) error {
	s, err := Open("/data")
	if err != nil {
		h.Assert(false, "%v", err)
		return err
	}
	n, _ := strconv.Atoi(s.Get("n"))
	h.Announce(found{n})
	for {
		n++
		if err := s.Put("n", fmt.Sprint(n)); err != nil {
			h.Assert(false, "%v", err)
			return err
		}
		h.Announce(stored{n})
		time.Sleep(time.Second)
	}
}

// durability is violated if a stored number is not found.
type durability struct{ Last int }

func (d *durability) Observe(_ sim.NodeID, event any) error {
	switch e := event.(type) {
	case stored:
		d.Last = e.N
	case found:
		if e.N != d.Last && e.N != d.Last+1 {
			return fmt.Errorf("found %d after %d was stored", e.N, d.Last)
		}
		d.Last = e.N
	}
	return nil
}

func system(without string) sim.System {
	omitted = without
	return sim.System{
		Name: "logstore", Nodes: 1, State: bubble.Rules, Crashes: 2,
		New:      func(sim.NodeID) sim.Service { return bubble.Service(count, bubble.DataDir("/data")) },
		Monitors: []func() sim.Monitor{func() sim.Monitor { return &durability{} }},
	}
}

// A crash loses nothing that was stored, unless a step is omitted.
func TestStore_Crashes(t *testing.T) {
	defer system("")
	for _, without := range []string{"", "sync of the log", "sync of the snapshot", "sync of the directory"} {
		r, err := search.Run(t.Context(), search.Config{System: system(without), Workers: 1, MaxPaths: 1000, WalkSteps: 100})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("without %q: %v after %d paths, %d steps", without, r.Verdict, r.Stats.Paths, r.Stats.Events)
		if (r.Finding != nil) != (without != "") {
			t.Errorf("without %q: %+v", without, r.Finding)
		}
	}
}

// Runs are deterministic.
func TestStore_Retrace(t *testing.T) { replaytest.Check(t, system("")) }
