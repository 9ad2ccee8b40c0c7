package search_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/search/schedules"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// BenchmarkSearch measures whole searches over RandTree, in time per executed event. Some cases use only weighted
// draws. The cases named so use all schedules, with longer walks, choices of schedules and comparisons.
func BenchmarkSearch(b *testing.B) {
	weighted := []string{schedules.Weighted}
	for _, c := range []struct {
		name      string
		strategy  search.Name
		schedules []string
		nodes     int
		limits    sim.Limits
	}{
		{"walk/3-schedules", search.Walk, nil, 3, sim.Limits{}},
		{"walk/3", search.Walk, weighted, 3, sim.Limits{}},
		{"walk/5-schedules", search.Walk, nil, 5, sim.Limits{}},
		{"walk/5", search.Walk, weighted, 5, sim.Limits{}},
		{"faulty/5-schedules", search.Faulty, nil, 5, sim.Limits{sim.Crashes: 2, sim.NetErrors: 2}},
		{"faulty/5", search.Faulty, weighted, 5, sim.Limits{sim.Crashes: 2, sim.NetErrors: 2}},
		{"deepening/3", search.Deepening, nil, 3, sim.Limits{}},
	} {
		b.Run(c.name, func(b *testing.B) {
			sys, err := bundled(b, "randtree", spec.Config{Nodes: c.nodes}).WithLimits(c.limits)
			if err != nil {
				b.Fatal(err)
			}
			cfg := search.Config{System: sys, Strategy: c.strategy, Workers: 1, MaxPaths: 20_000, Schedules: c.schedules}
			b.ReportAllocs()
			events, paths, states := 0, 0, 0
			for b.Loop() {
				cfg.Seed++
				res, err := search.Run(context.Background(), cfg)
				if err != nil {
					b.Fatal(err)
				}
				if res.Verdict != search.OK {
					b.Fatalf("got %+v, want ok", res.Finding)
				}
				events += res.Stats.Events
				paths += res.Stats.Paths
				states += res.Stats.States
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
			b.ReportMetric(float64(events)/float64(paths), "events/path")
			b.ReportMetric(float64(paths)/b.Elapsed().Seconds(), "paths/s")
			b.ReportMetric(float64(states)/float64(b.N), "states")
		})
	}
}

// idleWorld always offers the same events, and its steps do nothing.
type idleWorld struct {
	kernel.World
	sys    sim.System
	events []netmodel.Event
	last   stepinfo.Step
}

func newIdleWorld(events int) *idleWorld {
	w := &idleWorld{}
	w.sys.Properties = []sim.Property{{Name: "never", Eventually: func(*sim.View) bool { return false }}}
	for i := range events {
		w.events = append(w.events, netmodel.Event{Kind: []eventkind.Kind{eventkind.Deliver, eventkind.FireTimer, eventkind.DoAction, eventkind.Boot}[i%4], Peer: -1})
	}
	return w
}

func (w *idleWorld) System() *sim.System                      { return &w.sys }
func (w *idleWorld) Start(choose.Source) error                { return nil }
func (w *idleWorld) Enabled() []netmodel.Event                { return w.events }
func (w *idleWorld) Step(netmodel.Event, choose.Source) error { return nil }
func (w *idleWorld) Last() *stepinfo.Step                     { return &w.last }
func (w *idleWorld) Check() error                             { return nil }
func (w *idleWorld) Live() bool                               { return false }

// BenchmarkLoop measures the cost of a step of a walk without that of the world.
func BenchmarkLoop(b *testing.B) {
	for _, events := range []int{4, 12, 40} {
		b.Run(fmt.Sprintf("%devents", events), func(b *testing.B) {
			const steps = 1000
			l := runloop.New(newIdleWorld(events))
			walker := runs.NewWalker(search.DefaultWeights().Scale(), steps)
			b.ReportAllocs()
			for b.Loop() {
				walker.Seed(1, 1)
				if o := l.Run(walker, runloop.Task{}); o.Steps != steps || o.End != runloop.TooLong {
					b.Fatalf("got %+v, want a run that is too long after %d steps", o, steps)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*steps), "ns/step")
		})
	}
}

// A walk allocates nothing per step.
func TestWalk_AllocatesNothing(t *testing.T) {
	l := runloop.New(newIdleWorld(12))
	walker := runs.NewWalker(search.DefaultWeights().Scale(), 1000)
	walk := func() {
		walker.Seed(1, 1)
		l.Run(walker, runloop.Task{})
	}
	walk()
	if n := testing.AllocsPerRun(10, walk); n > 0 {
		t.Errorf("%v allocations in a walk of 1,000 steps", n)
	}
}
