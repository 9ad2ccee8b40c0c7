package shrink

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/randtree"
	"github.com/macemc/macemc/systems/spec"
)

// playerOf returns a player of the random tree with faults.
func playerOf(t *testing.T) (*Player, *sim.System) {
	t.Helper()
	e := randtree.Entry()
	sys, err := e.New(spec.Config{Nodes: 3})
	if err != nil {
		t.Fatal(err)
	}
	if sys, err = sys.WithLimits(sim.Limits{sim.Crashes: 1}); err != nil {
		t.Fatal(err)
	}
	w, err := kernel.NewWorld(&sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &Player{Run: replay.NewRun(w)}, &sys
}

// Scripts executed from saved states of a base have the same results as from the first state, in fewer steps.
func TestPlayer_Base(t *testing.T) {
	fast, sys := playerOf(t)
	slow, _ := playerOf(t)
	base, err := slow.Follow(systest.RandomPath(t, sys, 1, 60))
	if err != nil || len(base.Script.Steps) < 4*leastApart {
		t.Fatalf("%d steps, %v", len(base.Script.Steps), err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	fast.Steps, slow.Steps = 0, 0
	best := base.Script
	for i := range 300 {
		from := r.IntN(len(best.Steps))
		s := best.without(from, min(len(best.Steps), from+1+r.IntN(3)))
		if i%3 == 0 {
			s = best.moved(from, from+1, r.IntN(len(best.Steps)))
		}
		fast.Base(best)
		got, want := fast.Play(s), slow.Play(s)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("script %d: %+v, want %+v", i, got, want)
		}
		if !slices.Equal(fast.Run.Path, slow.Run.Path) || !slices.Equal(fast.Run.Bounds, slow.Run.Bounds) ||
			fast.Run.World.Fingerprint() != slow.Run.World.Fingerprint() {
			t.Fatalf("script %d: other path or state", i)
		}
		if i%20 == 19 && len(want.Script.Steps) > 2*leastApart {
			best = want.Script
		}
	}
	if 4*fast.Steps > 3*slow.Steps {
		t.Errorf("%d steps, and %d without a base", fast.Steps, slow.Steps)
	}
}

// Check is called in each state from the given number of steps on, also if scripts have a base.
func TestPlayer_BaseChecks(t *testing.T) {
	p, sys := playerOf(t)
	base, err := p.Follow(systest.RandomPath(t, sys, 1, 60))
	if err != nil {
		t.Fatal(err)
	}
	n := len(base.Script.Steps)
	p.Base(base.Script)
	p.Play(base.Script.without(n-1, n))
	for _, from := range []int{0, leastApart, n / 2} {
		checked := map[int]bool{}
		p.checkFrom = from
		p.Check = func() error {
			checked[p.Run.Steps()] = true
			return nil
		}
		p.Play(base.Script.without(n-1, n))
		for i := from; i < n; i++ {
			if !checked[i] {
				t.Errorf("from %d: state %d was not checked", from, i)
			}
		}
		if from > leastApart && checked[0] {
			t.Errorf("from %d: the first state was visited", from)
		}
	}
}
