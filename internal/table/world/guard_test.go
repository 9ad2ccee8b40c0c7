package world_test

import (
	"runtime"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/table/world"
	"github.com/macemc/macemc/sim"
)

// onceOnly does not boot a second time.
type onceOnly struct {
	sim.Nop
	Up    bool
	Ticks int
}

func (o *onceOnly) Boot(env sim.Env) {
	if _, again := env.Disk().Get("up"); again {
		runtime.Goexit()
	}
	env.Disk().Put("up", nil)
	env.Disk().Sync()
	o.Up = true
}

// A run after one that checked code ended by ending its goroutine shows properties nothing of that one.
func TestGuard_StartAfterExit(t *testing.T) {
	sys := sim.System{
		Name: "once", Nodes: 2, Crashes: 1, New: func(sim.NodeID) sim.Service { return &onceOnly{} },
		Actions: []sim.AnyAction{sim.Action[*onceOnly]{Name: "tick", Times: 1, Do: func(o *onceOnly, _ sim.Env) { o.Ticks++ }}},
		Properties: []sim.Property{{Name: "up", Always: func(v *sim.View) bool {
			for _, o := range sim.Nodes[*onceOnly](v) {
				if !o.Up {
					return false
				}
			}
			return true
		}}},
	}
	for _, engine := range []func(*sim.System, kernel.Options) (kernel.World, error){kernel.NewWorld, world.New} {
		w, err := engine(&sys, kernel.Options{Guarded: true})
		if err != nil {
			t.Fatal(err)
		}
		run := func(exits bool, events ...netmodel.Event) {
			t.Helper()
			f := contain.Guard(func() {
				err := w.Start(choose.First)
				for i := 0; err == nil; i++ {
					if err = w.Check(); err != nil || i == len(events) {
						break
					}
					done := false
					for _, ev := range w.Injections(w.Enabled()) {
						if !done && ev.Kind == events[i].Kind && ev.Node == events[i].Node {
							done, err = true, w.Step(ev, choose.First)
						}
					}
					if !done {
						t.Fatalf("%+v is not possible", events[i])
					}
				}
				if err != nil {
					t.Errorf("%T: %+v: %v", w, events, err)
				}
			})
			if (f != nil) != exits {
				t.Errorf("%T: %+v: the guard says %v", w, events, f)
			}
		}
		tick, crash, boot := netmodel.Event{Kind: eventkind.DoAction, Node: 1}, netmodel.Event{Kind: eventkind.Crash}, netmodel.Event{Kind: eventkind.Boot}
		run(false, tick)
		run(true, crash, boot)
		run(false, tick, crash)
	}
}
