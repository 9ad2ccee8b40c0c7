package runs_test

import (
	"math"
	"testing"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// retry is a service that tries each second until it succeeds, with probability 1/8 each time.
type retry struct {
	Done bool
	try  func(sim.Env) bool
}

func (r *retry) Boot(env sim.Env)                 { env.SetTimer("retry", time.Second) }
func (r *retry) Receive(sim.Env, sim.NodeID, any) {}
func (r *retry) Timer(env sim.Env, _ any) {
	if r.Done = r.try(env); !r.Done {
		env.SetTimer("retry", time.Second)
	}
}

type (
	again   struct{}
	retrier struct{ Done bool }
)

var retries = machine.Define[retrier]("retrier", machine.In("trying", machine.Entry((*retrier).begin), machine.On((*retrier).again)))

func (r *retrier) begin(x *machine.Ctx) { x.SetTimer(again{}, time.Second) }
func (r *retrier) again(x *machine.Ctx, _ again) {
	if r.Done = x.Flip("a") && x.Flip("b") && x.FairFlip("c"); !r.Done {
		x.SetTimer(again{}, time.Second)
	}
}

// The draws of services and machines are choices of each walk: k tries recover with probability 1-(1-p)^k.
func TestWalker_DrawsAnew(t *testing.T) {
	systems := map[string]sim.System{}
	for name, try := range map[string]func(sim.Env) bool{
		"Choose":     func(env sim.Env) bool { return env.Choose("try", 8) == 0 },
		"ChooseFair": func(env sim.Env) bool { return env.ChooseFair("try", 8) == 0 },
		"Rand.IntN":  func(env sim.Env) bool { return env.Rand().IntN(8) == 0 },
		"Rand.Perm":  func(env sim.Env) bool { return env.Rand().Perm(8)[0] == 0 },
		"Seeded":     func(env sim.Env) bool { return env.Rand().Seeded(1<<16).IntN(8) == 0 },
	} {
		systems[name] = sim.System{
			Nodes: 1, New: func(sim.NodeID) sim.Service { return &retry{try: try} }, State: []sim.StateRule{sim.IgnoreField[retry]("try")},
			Properties: []sim.Property{{Name: "done", Eventually: func(v *sim.View) bool { return v.Service(0).(*retry).Done }}},
		}
	}
	var ms machine.System
	id := ms.Add(retries, retrier{})
	sys := ms.Sim("machine")
	sys.Properties = []sim.Property{{Name: "done", Eventually: func(v *sim.View) bool { return machine.Vars[retrier](v, id).Done }}}
	systems["machine"] = sys
	const walks, steps, p = 1000, 4, 1.0 / 8
	for name, sys := range systems {
		w, err := kernel.NewWorld(&sys, kernel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		loop, walker := runloop.New(w), runs.NewWalker(search.DefaultWeights().Scale(), steps)
		var from choose.Path
		for k := 0; ; k++ { // a run of some steps that is not live
			walker.Seed(2, uint64(k))
			if o := loop.Run(walker, runloop.Task{}); o.Steps == steps && !o.Live {
				from = loop.Replay().Path.Clone()
				break
			}
		}
		recovered := 0
		for k := range walks {
			walker.Seed(1, uint64(k))
			if loop.Run(walker, runloop.Task{Path: from}).Live {
				recovered++
			}
		}
		want := 1 - math.Pow(1-p, steps)
		if got, sd := float64(recovered)/walks, math.Sqrt(want*(1-want)/walks); math.Abs(got-want) > 5*sd {
			t.Errorf("%s: %.3f of the walks recovered, want %.3f, standard deviation %.3f", name, got, want, sd)
		}
	}
}
