//go:build macemc_overlay

package bubble_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Time goes on in a program that looks at the clock and waits for nothing, until it looks no more.
func TestClockWithoutTimers(t *testing.T) {
	take := bubble.Call("take", func(_ context.Context, f begin) error { f(); return nil })
	take.Times = 4
	s := sim.System{
		Name: "lease", Nodes: 1, State: bubble.Rules, Actions: []sim.AnyAction{take},
		New: func(sim.NodeID) sim.Service {
			return bubble.Service(func(ctx context.Context, h *bubble.Host) error {
				taken, until := 0, time.Time{}
				h.Observe(func() any { return taken })
				h.Expose(begin(func() {
					if now := time.Now(); now.After(until) {
						taken, until = taken+1, now.Add(1500*time.Millisecond)
					}
				}))
				<-ctx.Done()
				return nil
			})
		},
	}
	for most, want := range map[int]bool{0: true, 1: true, 2: false} { // two seconds for each time that it is taken
		s.Properties = []sim.Property{{Name: "seldom taken", Always: func(v *sim.View) bool {
			taken, _ := bubble.SeenAt[int](v, 0)
			return taken <= most
		}}}
		r, err := search.Run(t.Context(), search.Config{System: s, Workers: 1, MaxPaths: 2000, WalkSteps: 100})
		if err != nil {
			t.Fatal(err)
		}
		if (r.Finding != nil) != want || r.Stats.Complete || len(r.Stats.Sampled) == 0 {
			t.Errorf("at most %d: %s after %d paths, all states: %v, sampled: %v; %+v", most, r.Verdict, r.Stats.Paths, r.Stats.Complete, r.Stats.Sampled, r.Finding)
		}
	}
}

// A timer that is armed without end does not fire, and the clock does not go to its end.
func TestClock_InfiniteTimer(t *testing.T) {
	s := sim.System{
		Name: "patient", Nodes: 1, State: bubble.Rules,
		New: func(sim.NodeID) sim.Service {
			return bubble.Service(func(ctx context.Context, h *bubble.Host) error {
				fired := 0
				h.Observe(func() any { return fired })
				count := func() { fired++ }
				time.AfterFunc(time.Minute, count)
				time.AfterFunc(math.MaxInt64, count)
				<-ctx.Done()
				return nil
			})
		},
		Properties: []sim.Property{{Name: "fired once", Always: func(v *sim.View) bool {
			fired, _ := bubble.SeenAt[int](v, 0)
			return fired < 2
		}}},
	}
	r, err := search.Run(t.Context(), search.Config{System: s, Workers: 1, MaxPaths: 20, WalkSteps: 100})
	if err != nil || r.Finding != nil || r.Stats.Paths == 0 {
		t.Errorf("%v: %+v", err, r)
	}
}
