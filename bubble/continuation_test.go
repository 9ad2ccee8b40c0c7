//go:build macemc_overlay

package bubble_test

import (
	"context"
	crand "crypto/rand"
	"hash/maphash"
	"math"
	"math/rand"
	randv2 "math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// try is a draw.
type try struct {
	name string
	draw func() bool
}

// tries returns draws that succeed with probability 1/8.
func tries() []try {
	return []try{
		{"math/rand", func() bool { return rand.Intn(8) == 0 }},
		{"math/rand/v2", func() bool { return randv2.N(8) == 0 }},
		{"maphash", func() bool { return maphash.String(maphash.MakeSeed(), "x")%8 == 0 }},
		{"crypto/rand", func() bool {
			b := make([]byte, 1)
			_, err := crand.Read(b)
			return err == nil && b[0]%8 == 0
		}},
		{"select", func() bool {
			for range 3 {
				a, b := make(chan int, 1), make(chan int, 1)
				a <- 1
				b <- 1
				select {
				case <-a:
					return false
				case <-b:
				}
			}
			return true
		}},
		{"map", func() bool {
			for k := range map[int]bool{0: true, 1: true, 2: true, 3: true, 4: true, 5: true, 6: true, 7: true} {
				return k == 0
			}
			return false
		}},
	}
}

// retrier is a system of one program that tries each second until it succeeds.
func retrier(how sim.Interleave, try func() bool) sim.System {
	return sim.System{
		Name: "retrier", Nodes: 1, State: bubble.Rules, Interleave: how,
		New: func(sim.NodeID) sim.Service {
			return bubble.Service(func(_ context.Context, h *bubble.Host) error {
				done := false
				h.Observe(func() any { return done })
				for !done {
					time.Sleep(time.Second)
					done = try()
				}
				select {}
			})
		},
		Properties: []sim.Property{{Name: "done", Eventually: func(v *sim.View) bool {
			done, _ := bubble.SeenAt[bool](v, 0)
			return done
		}}},
	}
}

// failing returns the path of a run of so many steps in the world that is not live.
func failing(t *testing.T, w kernel.World, steps int) choose.Path {
	t.Helper()
next:
	for seed := uint64(1); ; seed++ {
		run, src := replay.NewRun(w), choose.NewRandom(seed, 0)
		if err := run.Start(src); err != nil {
			t.Fatal(err)
		}
		for range steps {
			if err := run.Step(0, src); err != nil {
				t.Fatal(err)
			}
			if w.Live() {
				continue next
			}
		}
		return run.Path.Clone()
	}
}

// world returns a world of a system.
func world(t *testing.T, sys *sim.System) kernel.World {
	t.Helper()
	w, err := kernel.NewWorld(sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Each continuation draws anew what a process draws: k tries recover with probability 1-(1-p)^k, whatever the run that they continue.
func TestContinuations_DrawAnew(t *testing.T) {
	const walks, steps, p = 400, 4, 1.0 / 8
	for _, how := range []sim.Interleave{sim.FIFO, sim.Rotate} {
		for _, c := range tries() {
			t.Run(how.String()+" "+c.name, func(t *testing.T) {
				sys := retrier(how, c.draw)
				from := failing(t, world(t, &sys), 2)
				loop, walker := runloop.New(world(t, &sys)), runs.NewWalker(search.DefaultWeights().Scale(), steps)
				recovered := 0
				for k := range walks {
					walker.Seed(1, uint64(k))
					o := loop.Run(walker, runloop.Task{Path: from})
					if o.Live {
						recovered++
					}
					if k == 0 {
						replaysAlike(t, &sys, loop.Replay().Path.Clone(), o.Live)
					}
				}
				want := 1 - math.Pow(1-p, steps)
				if got, sd := float64(recovered)/walks, math.Sqrt(want*(1-want)/walks); math.Abs(got-want) > 5*sd {
					t.Errorf("%.3f of the walks recovered, want %.3f, standard deviation %.3f", got, want, sd)
				}
			})
		}
	}
}

// replaysAlike checks that a path and its file lead to a state that is live or not.
func replaysAlike(t *testing.T, sys *sim.System, path choose.Path, live bool) {
	t.Helper()
	f, err := replay.WriteFile(sys, pathfile.Header{Seed: 1}, path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := replay.ReadFile(sys, f)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(again.Path, path) {
		t.Errorf("the file has the path %v, want %v", again.Path, path)
	}
	w := world(t, sys)
	run, src := replay.NewRun(w), &choose.Prefix{Path: path}
	for err = run.Start(src); err == nil && !src.Done(); {
		i, _ := src.Take()
		err = run.Step(i, src)
	}
	if err != nil || w.Live() != live {
		t.Errorf("live: %v, want %v; %v", w.Live(), live, err)
	}
}

// The critical step of a run that dies by a draw is the step of that draw, by any number of workers.
func TestContinuations_CriticalDraw(t *testing.T) {
	const before = 4 // steps
	sys := retrier(sim.Rotate, nil)
	sys.New = func(sim.NodeID) sim.Service {
		return bubble.Service(func(_ context.Context, h *bubble.Host) error {
			done := false
			h.Observe(func() any { return done })
			for range before + 1 {
				time.Sleep(time.Second)
			}
			for done = randv2.N(2) == 0; !done; {
				time.Sleep(time.Second)
			}
			select {}
		})
	}
	from := failing(t, world(t, &sys), 40)
	var first *critical.Result
	for _, workers := range []int{1, 3} {
		r, err := critical.Find(t.Context(), critical.Config{System: sys, Path: from, WalkSteps: 50, Walks: 100, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if r.Case != critical.Located || r.Step != before+1 || r.Before.Recovered < 25 || r.Before.Recovered > 75 {
			t.Errorf("%s at step %d, %d of %d walks recover before it; want step %d, and about half", r.Case, r.Step, r.Before.Recovered, r.Before.Walks, before+1)
		}
		if r.Engine = (runloop.Counts{}); first != nil && !reflect.DeepEqual(r, first) {
			t.Errorf("%d workers: %+v, want %+v", workers, r, first)
		}
		first = r
	}
}
