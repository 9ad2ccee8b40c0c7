package mdb_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/macemc/macemc/check"
	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/mdb"
	"github.com/macemc/macemc/replay"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/randtree"
	"github.com/macemc/macemc/systems/spec"
)

const longSteps = 100_000

// longPath is a random run of randtree, with a crash.
func longPath(t testing.TB) (*sim.System, choose.Path) {
	t.Helper()
	subject, err := check.NewSubject(randtree.Entry(), check.Wanted{
		Config: spec.Config{Nodes: 4}, Limits: func(l *sim.Limits) { *l = sim.Limits{Crashes: 1} },
	})
	if err != nil {
		t.Fatal(err)
	}
	sys := &subject.System
	w, err := sim.NewWorld(sys, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := replay.NewRun(w)
	rng := rand.New(rand.NewPCG(1, 2))
	src := choose.SourceFunc(func(p choose.Point) int {
		if p.Kind == choose.Fault {
			return 0
		}
		return rng.IntN(p.Arity)
	})
	if err := r.Start(src); err != nil {
		t.Fatal(err)
	}
	for r.Steps() < longSteps {
		n := len(w.Enabled())
		if r.Steps() == 5000 {
			n += len(w.Injections(nil))
		}
		if err := r.Step(rng.IntN(n), src); err != nil {
			t.Fatal(err)
		}
	}
	return sys, r.Path
}

// A long run shows the same at every place as plain execution, wherever one comes from, and needs no more
// memory than it may.
func TestLongRun(t *testing.T) {
	if testing.Short() {
		t.Skip("100,000 steps")
	}
	sys, path := longPath(t)
	s, err := mdb.Open(mdb.Config{System: sys, Path: path, Header: choose.Header{System: sys.Name, Nodes: sys.Nodes, Seed: 1}})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := replay.NewCursor(sys, path, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[int]string{}
	places := []int{1, 64, 65, 12_345, 50_000, 77_777, longSteps}
	for _, n := range places {
		if err := plain.To(n); err != nil {
			t.Fatal(err)
		}
		for id := range sim.NodeID(sys.Nodes) {
			for _, f := range plain.World().NodeFields(id) {
				want[n] += fmt.Sprintf("n%d.%s %s\n", id, f.Path, f.Value)
			}
		}
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		n := places[rng.IntN(len(places))]
		s.Go(n)
		state, err := s.States()
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, l := range state {
			if l.Path != "" && l.Value != "gone" {
				got += fmt.Sprintf("n%d.%s %s\n", l.Node, l.Path, l.Value)
			}
		}
		if got != want[n] {
			t.Fatalf("step %d:\ngot\n%s\nwant\n%s", n, got, want[n])
		}
	}
	do(t, s, "start; find n0.State changes; end; rfind n0.State changes")
	if out := do(t, s, "77777; graph 77770 77780"); !strings.Contains(out, "77775 ") || strings.Contains(out, "first boots") {
		t.Errorf("a graph far from the start:\n%s", out)
	}
	do(t, s, "50000; why")
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > 300<<20 {
		t.Errorf("%d MB are in use", m.HeapAlloc>>20)
	}
}

func BenchmarkOpen(b *testing.B) {
	sys, path := longPath(b)
	b.ResetTimer()
	for range b.N {
		if _, err := mdb.Open(mdb.Config{System: sys, Path: path}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkJump measures what a screen asks for after a jump to any step of 100,000.
func BenchmarkJump(b *testing.B) {
	sys, path := longPath(b)
	s, err := mdb.Open(mdb.Config{System: sys, Path: path})
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	b.ResetTimer()
	for range b.N {
		n := 1 + rng.IntN(longSteps)
		s.Go(n)
		s.Summary()
		if _, err := s.States(); err != nil {
			b.Fatal(err)
		}
		if _, err := s.Lanes(n-20, n+20, 80); err != nil {
			b.Fatal(err)
		}
	}
}
