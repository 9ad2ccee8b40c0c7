package kernel_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// crier sends to the other nodes, and writes nothing to disk.
type crier struct{ sim.Nop }

func (c *crier) Receive(sim.Env, sim.NodeID, any) {}

func crying(cut sim.CrashCut, words int) *sim.System {
	return &sim.System{
		Name: "crying", Nodes: 2, Network: netsim.Datagrams{}, Halts: 1, CrashCut: cut,
		New:     func(sim.NodeID) sim.Service { return &crier{} },
		MayHalt: func(id sim.NodeID) bool { return id == 0 },
		Actions: []sim.AnyAction{sim.Action[*crier]{Name: "cry", Times: 1, At: func(id sim.NodeID) bool { return id == 0 }, Do: func(_ *crier, env sim.Env) {
			for k := range words {
				env.Send(1, vote{k})
			}
		}}},
	}
}

// TestCrashCut compares the datagrams sent by a node that halts inside a step of three datagrams, or right after it.
func TestCrashCut(t *testing.T) {
	for cut, want := range map[sim.CrashCut][]string{
		sim.CutNone:   {"012"},
		sim.CutPrefix: {"", "0", "01", "012"},
		sim.CutSubset: {"", "0", "01", "012", "02", "1", "12", "2"},
	} {
		w, err := kernel.NewWorld(crying(cut, 3), kernel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for e := new(choose.Enumerate); e.Next(); {
			if err := w.Start(e); err != nil {
				t.Fatal(err)
			}
			if err := w.Step(w.Enabled()[0], e); err != nil {
				t.Fatal(err)
			}
			last := w.Last()
			if last.Crashed != last.Halted || last.Crashed != (w.Service(0) == nil) {
				t.Errorf("%v: crashed %v, halted %v", cut, last.Crashed, last.Halted)
			}
			flight, happened := "", ""
			for _, k := range keys(w) {
				if _, text, ok := strings.Cut(k, "vote{Round:"); ok {
					flight += text[:1]
				}
			}
			for i := range last.Effects {
				if last.Happened(i) {
					happened += fmt.Sprint(i)
				}
			}
			if flight != happened {
				t.Errorf("%v: %q is in flight, %q is said to have happened", cut, flight, happened)
			}
			got = append(got, flight)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%v: in flight is %q, want %q", cut, got, want)
		}
	}
}

// A step with more datagrams than can be lost in all combinations is rejected, if the node may fail.
func TestMostCut(t *testing.T) {
	for _, c := range []struct {
		change  func(*sim.System)
		refused bool
	}{
		{func(*sim.System) {}, true},
		{func(s *sim.System) { s.CrashCut = sim.CutPrefix }, false},
		{func(s *sim.System) { s.Halts = 0 }, false},
		{func(s *sim.System) { s.Halts, s.Crashes = 0, 1 }, true},
		{func(s *sim.System) { s.MayHalt = func(id sim.NodeID) bool { return id == 1 } }, false},
	} {
		sys := crying(sim.CutSubset, kernel.MostCut+1)
		c.change(sys)
		w := start(t, sys)
		err := w.Step(w.Enabled()[0], choose.First)
		var found *sim.Finding
		if errors.As(err, &found) != c.refused || c.refused && !strings.Contains(found.Message, "more than 16 datagrams") {
			t.Errorf("%v: %v", sys.Limits(), err)
		}
	}
}
