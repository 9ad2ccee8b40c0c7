package search_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

type (
	mend  struct{} // a timer
	help  struct{} // a message
	other struct{} // is neither sent nor set
)

// wounded is a node that an action breaks. A timer heals it, or a message to itself.
type wounded struct {
	sim.Nop
	Broken  bool
	message bool
}

func (w *wounded) hurt(env sim.Env) {
	if w.Broken = true; w.message {
		env.Send(env.Self(), &help{})
	} else {
		env.SetTimer(mend{}, 1)
	}
}

func (w *wounded) Timer(sim.Env, any)               { w.Broken = false }
func (w *wounded) Receive(sim.Env, sim.NodeID, any) { w.Broken = false }

// Disturbing events are outside the recovery relation in every strategy and engine, be they timers, messages, or all
// events of a kind. No other event is.
func TestDisturbing_Verdicts(t *testing.T) {
	idle := []string{"message mend", "timer other", "message help"} // types that are never sent, or set as timers
	timer, message, late := &wounded{}, &wounded{message: true}, (*wounded)(nil)
	for _, c := range []struct {
		by        *wounded
		what      sim.Disturbance
		violation bool
	}{
		{timer, sim.DisturbingTimers[mend](), true},
		{timer, sim.DisturbingTimers[any](), true},
		{timer, sim.DisturbingMessages[mend](), false},
		{timer, sim.DisturbingTimers[other](), false},
		{timer, sim.DisturbingHeals(), false},
		{message, sim.DisturbingMessages[*help](), true},
		{message, sim.DisturbingMessages[any](), true},
		{message, sim.DisturbingMessages[help](), false},
		{message, sim.DisturbingTimers[any](), false},
		{late, sim.DisturbingBoots(), true},
		{late, sim.DisturbingErrors(), false},
	} {
		sys := sim.System{
			Name: "wounded", Nodes: 1, Network: netsim.Datagrams{}, Disturbing: []sim.Disturbance{c.what},
			New: func(sim.NodeID) sim.Service {
				if c.by == nil {
					return &wounded{}
				}
				return &wounded{message: c.by.message}
			},
			Actions: []sim.AnyAction{
				sim.Action[*wounded]{Name: "hurt", Times: 1, Do: (*wounded).hurt},
				sim.Action[*wounded]{Name: "idle", Do: func(*wounded, sim.Env) {}}, // so that a stuck node can continue
			},
			Properties: []sim.Property{{Name: "well", Eventually: func(v *sim.View) bool {
				w, up := v.Service(0).(*wounded)
				return up && !w.Broken
			}}},
		}
		if c.by == nil {
			sys.Late = func(sim.NodeID) bool { return true }
		}
		for strategy, engine := range everyEngine(runloop.ReplayEngine, runloop.TableEngine) {
			t.Run(fmt.Sprintf("%+v/%s/%s/%s", c.by, c.what, strategy, engine), func(t *testing.T) {
				cfg := search.Config{
					System: sys, Strategy: strategy, Engine: engine, WalkSteps: 50, MaxPaths: 100, Workers: 1, HandlerLimit: patient,
					Alone: strategy == search.Deepening, Confirm: critical.Confirm(critical.Config{System: sys, WalkSteps: 50, Walks: 20, Workers: 1}),
				}
				if strategy == search.Deepening {
					cfg.DeepenBy = 4 // otherwise walks are made from each state, as a leaf
				}
				res := run(t, cfg)
				if (res.Verdict == search.Violation) != c.violation || !c.violation && res.Verdict != search.OK {
					t.Errorf("%s, %s, %+v", res.Verdict, res.Stopped, res.Finding)
				}
				idle := !c.violation && slices.Contains(idle, c.what.String())
				if slices.Contains(res.Stats.NeverHappened, "disturbing "+c.what.String()) != idle {
					t.Errorf("never happened: %q", res.Stats.NeverHappened)
				}
			})
		}
	}
}
