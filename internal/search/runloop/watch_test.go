package runloop_test

import (
	"slices"
	"testing"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// starving is a number of busy workers that the processor time of a test does not suffice for.
const starving = 1 << 20

// A worker is late after the limit if the process used enough processor time for its workers, otherwise after ten times the
// limit. A late worker is counted as suspected.
func TestWatch_LateBeyondLimit(t *testing.T) {
	const limit = 3
	for _, c := range []struct{ busy, want int }{{0, limit + 1}, {starving, 10*limit + 1}} {
		w, before := runloop.Watch{Limit: limit}, simext.Suspected.Load()
		for range 2 { // the second probe begins anew
			w.Probed()
			ticks := 1
			for ; !w.Late(c.busy); ticks++ {
			}
			if ticks != c.want {
				t.Errorf("%d busy workers: late after %d ticks, want %d", c.busy, ticks, c.want)
			}
		}
		if got := simext.Suspected.Load() - before; got != 2 {
			t.Errorf("%d busy workers: %d were suspected, want 2", c.busy, got)
		}
	}
}

// In an exploration too, the limit counts from the first tick of a call.
func TestOverdueAfter_CountsFromFirstTick(t *testing.T) {
	const limit = 20 // ticks of processor time, which the test does not need
	late := runloop.OverdueAfter(limit)
	for range 2 {
		for ticks := 1; ticks <= 10*limit; ticks++ {
			if late(ticks) {
				t.Errorf("late after %d ticks, want %d", ticks, 10*limit+1)
			}
		}
		if !late(10*limit + 1) {
			t.Errorf("not late after %d ticks", 10*limit+1)
		}
	}
}

// Two ticks are added to a limit, rounded down.
func TestTicks_TwoMore(t *testing.T) {
	for limit, want := range map[time.Duration]int{0: 2, runloop.Tick - 1: 2, runloop.Tick: 3, time.Second: 22} {
		if got := runloop.Ticks(limit); got != want {
			t.Errorf("%v: %d ticks, want %d", limit, got, want)
		}
	}
}

// stuck waits in its second action.
type stuck struct {
	sim.Nop
	Acted int
}

// A run with a handler that does not return is abandoned, with the path into the handler. Other runs end as without a
// watchdog.
func TestLoop_AbandonsStuckRun(t *testing.T) {
	end := make(chan struct{})
	defer close(end)
	sys := sim.System{
		Name: "stuck", Nodes: 1, New: func(sim.NodeID) sim.Service { return &stuck{} },
		Actions: []sim.AnyAction{sim.Action[*stuck]{Name: "act", Do: func(s *stuck, env sim.Env) {
			if env.Choose("wait", 2) == 1 && s.Acted == 1 {
				<-end
			}
			s.Acted++
		}}},
	}
	l, err := runloop.NewByEngine(&sys, runloop.ReplayEngine, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l.Watch(time.Millisecond)
	walker := runs.NewWalker(search.DefaultWeights().Scale(), 0)
	if o := l.Run(walker, runloop.Task{Path: choose.Path{0, 1, 0, 0}}); o.End != runloop.TooLong || o.Stuck != nil {
		t.Errorf("got %+v, want end %d", o, runloop.TooLong)
	}
	o := l.Run(walker, runloop.Task{Path: choose.Path{0, 0, 0, 1, 0, 0}})
	if want := (choose.Path{0, 0, 0, 1}); o.End != runloop.Found || !slices.Equal(o.Stuck, want) || o.Steps != 2 {
		t.Errorf("got %+v, want end %d in step 2 of %v", o, runloop.Found, want)
	}
	if f, want := o.Finding, "the handler did not return within 1ms"; f == nil || f.Kind != sim.Divergence || f.Message != want {
		t.Errorf("got %+v, want %s: %s", f, sim.Divergence, want)
	}
}
