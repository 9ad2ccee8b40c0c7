package search_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// tardy uses an Env too late.
type tardy struct {
	sim.Nop
	did int
}

// uses are goroutines that use an Env when a state is judged, which is after the handler that started them.
type uses struct {
	mu      sync.Mutex
	waiting []chan bool
}

func (u *uses) begin(env sim.Env) {
	step := make(chan bool)
	u.mu.Lock()
	defer u.mu.Unlock()
	u.waiting = append(u.waiting, step)
	go func() {
		defer close(step) // a late use ends the goroutine
		<-step
		env.Announce(1)
	}()
}

// happen waits for the uses.
func (u *uses) happen() {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, step := range u.waiting {
		step <- true
		<-step
	}
	u.waiting = nil
}

func (k *tardy) act(env sim.Env, how string, kept *sim.Env, later *uses) {
	k.did++
	switch {
	case how == "goroutine":
		later.begin(env)
	case k.did == 1:
		*kept = env
	default:
		(*kept).Announce(1)
	}
}

// An Env used after its handler had returned is a finding of every strategy and engine, with the function at fault. The
// coverage until then is not complete.
func TestUseAfterReturn(t *testing.T) {
	for _, how := range []string{"goroutine", "kept"} {
		for _, c := range []struct {
			strategy search.Name
			engine   string
		}{
			{search.Deepening, runloop.ReplayEngine}, {search.Deepening, runloop.TableEngine}, {search.Walk, runloop.ReplayEngine},
			{search.Walk, runloop.TableEngine}, {search.BFS, ""}, {search.DFS, ""},
		} {
			t.Run(fmt.Sprint(how, " ", c.strategy, " ", c.engine), func(t *testing.T) {
				later := new(uses)
				defer later.happen()
				kept, names := new(sim.Env), "useafterreturn_test.go:"
				if how == "kept" {
					names = `the action "act" kept it`
				}
				sys := sim.System{
					Name: "tardy", Nodes: 1,
					New:        func(sim.NodeID) sim.Service { return new(tardy) },
					Actions:    []sim.AnyAction{sim.Action[*tardy]{Name: "act", Times: 3, Do: func(k *tardy, env sim.Env) { k.act(env, how, kept, later) }}},
					Properties: []sim.Property{{Name: "true", Always: func(*sim.View) bool { later.happen(); return true }}},
				}
				res, err := search.Run(t.Context(), search.Config{
					System: sys, Strategy: c.strategy, Engine: c.engine, Time: endless, MaxPaths: 100, Workers: 1, HandlerLimit: patient,
				})
				if err != nil {
					t.Fatal(err)
				}
				f := res.Finding
				if res.Verdict != search.Violation || res.Stats.Complete || f == nil || f.Kind != sim.Panic ||
					!strings.Contains(f.Message, "was used after its handler had returned") || !strings.Contains(f.Message, "macemc vet") ||
					!strings.Contains(f.Message, names) {
					t.Fatalf("%s, %+v", res.Verdict, f)
				}
			})
		}
	}
}
