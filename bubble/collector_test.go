//go:build macemc_overlay

package bubble_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// forget makes weak pointers to objects that nothing else references, and adds functions that the collector calls for them.
func forget(called *int) (made []weak.Pointer[[100]int]) {
	for range 10 {
		p := new([100]int)
		runtime.AddCleanup(p, func(int) { *called++ }, 0)
		runtime.SetFinalizer(p, func(*[100]int) { *called++ })
		made = append(made, weak.Make(p))
	}
	return made
}

// Collections between the steps of a node do not change what it does.
func TestCollector(t *testing.T) {
	program := func(ctx context.Context, h *bubble.Host) error {
		called := 0
		h.Observe(func() any { return called })
		made := forget(&called)
		for range 5 {
			time.Sleep(time.Second)
			for _, p := range made {
				if p.Value() == nil {
					return errors.New("collected")
				}
			}
		}
		<-ctx.Done()
		return nil
	}
	r, err := searched(t, search.Config{Workers: 1, Time: time.Minute, MaxPaths: 3, WalkSteps: 10, System: sim.System{
		Name: "collector", Nodes: 1, State: bubble.Rules,
		New: func(sim.NodeID) sim.Service { return bubble.Service(program) },
		Properties: []sim.Property{{Name: "unchanged", Always: func(v *sim.View) bool {
			runtime.GC()
			time.Sleep(time.Millisecond) // for cleanups and finalizers
			p, ok := v.Service(0).(*bubble.Program)
			return !ok || p.Ended == "" && (p.Seen == nil || p.Seen == 0)
		}}},
	}})
	if err != nil || r.Finding != nil || r.Stats.Paths == 0 {
		t.Errorf("%v, %s after %d paths: %+v", err, r.Verdict, r.Stats.Paths, r.Finding)
	}
}
