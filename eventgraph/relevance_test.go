package eventgraph_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// clerk touches a timer and its disk without changing its own state.
type clerk struct{ sim.Nop }

type alarm struct{}

func (clerk) Set(env sim.Env)  { env.SetTimer(alarm{}, 1) }
func (clerk) Save(env sim.Env) { env.Send(env.Self(), alarm{}) }
func (clerk) Idle(sim.Env)     {}

func (clerk) Receive(env sim.Env, _ sim.NodeID, _ any) {
	env.Disk().Put("k", []byte("v"))
	env.Disk().Sync()
}

func (clerk) Timer(env sim.Env, _ any) { env.SetTimer(alarm{}, 1) }

// Before the critical step nothing but ticks is folded that sets a timer or writes to a disk, not even where it
// leaves everything as it was; behind it such steps are folded.
func TestFoldKeepsWhatMatters(t *testing.T) {
	sys := &sim.System{
		Name: "clerks", Nodes: 1, New: func(sim.NodeID) sim.Service { return clerk{} }, Network: netsim.Datagrams{}, Timing: sim.AnyOrder,
		Actions: []sim.AnyAction{
			sim.Action[clerk]{Name: "set", Do: clerk.Set}, sim.Action[clerk]{Name: "save", Do: clerk.Save}, sim.Action[clerk]{Name: "idle", Do: clerk.Idle},
		},
	}
	keys := []string{"action n0 set", "action n0 save", "deliver n0<-n0 alarm{}", "action n0 save", "deliver n0<-n0 alarm{}"}
	for range 6 {
		keys = append(keys, "timer n0 alarm{}")
	}
	keys = append(keys, "action n0 idle")
	for range 6 {
		keys = append(keys, "timer n0 alarm{}")
	}
	g := scripted(t, sys, keys...)
	g.Critical = 12
	text := string(render(t, g.Text, eventgraph.Options{Fold: 1, Expand: true}))
	for step := 1; step <= 12; step++ {
		if !shows(text, step) {
			t.Errorf("step %d is folded:\n%s", step, text)
		}
	}
	if shows(text, 14) || !strings.Contains(text, "6 steps (13-18) change no node: n0 timer alarm x6") {
		t.Errorf("what follows is not folded:\n%s", text)
	}
}

// An excerpt of a random run has every step before the critical one that changed a node, set or stopped a timer or
// wrote, and describes the omitted steps. Ticks are expanded here.
func TestExcerptHoldsThePast(t *testing.T) {
	for seed := range uint64(8) {
		const critical = 45
		g := randomGraph(t, 3, seed, 60)
		g.Critical = critical
		steps := g.Before(critical, 4)
		text := string(render(t, g.Text, eventgraph.Options{Steps: append(steps, critical), Fold: -1, Expand: true}))
		left := 0
		for i := 1; i < critical; i++ {
			e := &g.Events[i]
			changed := len(e.Changes)+len(e.Sets)+len(e.Ends) > 0
			if changed && !shows(text, i) {
				t.Errorf("seed %d: step %d (%s) is missing", seed, i, e.Text)
			}
			if !shows(text, i) {
				left++
			}
		}
		if left > 0 && strings.Count(text, "no node: ")+strings.Count(text, "left out") == 0 {
			t.Errorf("seed %d: %d steps are left out without a word:\n%s", seed, left, text)
		}
	}
}

// shows reports whether the text has a separate line for a step.
func shows(text string, step int) bool {
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(strings.TrimLeft(line, " >"), fmt.Sprintf("%d  ", step)) {
			return true
		}
	}
	return false
}
