//go:build macemc_overlay

package bubble_test

import (
	"context"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Time advances for a program that reads the clock and waits for nothing, until it stops reading.
func TestClockWithoutTimers(t *testing.T) {
	take := bubble.Call("take", func(f begin, _ context.Context) error { f(); return nil })
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
	for most, want := range map[int]bool{0: true, 1: true, 2: false} { // two seconds for each request
		s.Properties = []sim.Property{{Name: "seldom taken", Always: func(v *sim.View) bool {
			taken, _ := bubble.SeenAt[int](v, 0)
			return taken <= most
		}}}
		r, err := searched(t, search.Config{System: s, Workers: 1, MaxPaths: 2000, WalkSteps: 100})
		if err != nil {
			t.Fatal(err)
		}
		if (r.Finding != nil) != want || r.Stats.Complete || len(r.Stats.Sampled) == 0 {
			t.Errorf("at most %d: %s after %d paths, all states: %v, sampled: %v; %+v", most, r.Verdict, r.Stats.Paths, r.Stats.Complete, r.Stats.Sampled, r.Finding)
		}
	}
}

// A timer that is armed for a very long time does not fire, and the clock does not advance to its maximum.
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
	r, err := searched(t, search.Config{System: s, Workers: 1, MaxPaths: 20, WalkSteps: 100})
	if err != nil || r.Finding != nil || r.Stats.Paths == 0 {
		t.Errorf("%v: %+v", err, r)
	}
}

// Timers of the same instant fire in the order in which they were armed, independent of their addresses.
func TestClock_TimersOfOneInstant(t *testing.T) {
	var swapped bool
	s := sim.System{
		Name: "tie", Nodes: 1, State: bubble.Rules,
		New: func(sim.NodeID) sim.Service {
			return bubble.Service(func(ctx context.Context, h *bubble.Host) error {
				first := 0
				h.Observe(func() any { return first })
				a, b := time.NewTimer(time.Hour), time.NewTimer(time.Hour)
				if above := reflect.ValueOf(a.C).Pointer() > reflect.ValueOf(b.C).Pointer(); above != swapped {
					a, b = b, a
				}
				a.Reset(time.Second)
				b.Reset(time.Second)
				select {
				case <-a.C:
					first = 1
				case <-b.C:
					first = 2
				}
				<-ctx.Done()
				return nil
			})
		},
	}
	for _, c := range []struct {
		mode sim.Interleave
		want []int
	}{{sim.FIFO, []int{0, 1}}, {sim.Random, []int{0, 1, 2}}} {
		var seen [2][]int
		for i := range seen {
			swapped = i == 1
			s.Interleave = c.mode
			s.Properties = []sim.Property{{Name: "recorded", Always: func(v *sim.View) bool {
				first, _ := bubble.SeenAt[int](v, 0)
				seen[i] = append(seen[i], first)
				return true
			}}}
			if r, err := searched(t, search.Config{System: s, Workers: 1, MaxPaths: 50, WalkSteps: 10}); err != nil || r.Finding != nil {
				t.Fatalf("%v: %+v", err, r)
			}
		}
		if !slices.Equal(seen[0], seen[1]) {
			t.Errorf("%v: first\n%v with one order in memory and\n%v with the other", c.mode, seen[0], seen[1])
		}
		slices.Sort(seen[0])
		if got := slices.Compact(seen[0]); !slices.Equal(got, c.want) {
			t.Errorf("%v: saw %v, want %v", c.mode, got, c.want)
		}
	}
}
