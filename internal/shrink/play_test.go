package shrink

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

type (
	writer struct {
		sim.Nop
		Node  sim.NodeID
		Epoch int
	}
	letter struct{ Number, Epoch int }
	parcel struct{}
)

// writers returns a player of a system in which node 0 sends two letters as datagrams or by a stream, or a parcel by the
// stream, to node 1.
func writers(t *testing.T) *Player {
	t.Helper()
	action := func(name string, do func(w *writer, env sim.Env)) sim.AnyAction {
		return sim.Action[*writer]{Name: name, When: func(w *writer) bool { return w.Node == 0 }, Do: do}
	}
	sys := sim.System{
		Name: "writers", Nodes: 2, Network: netsim.Both{}, New: func(n sim.NodeID) sim.Service { return &writer{Node: n} },
		Actions: []sim.AnyAction{
			action("count", func(w *writer, _ sim.Env) { w.Epoch++ }),
			action("write", func(w *writer, env sim.Env) {
				env.Send(1, letter{1, w.Epoch})
				env.Send(1, letter{2, w.Epoch})
			}),
			action("queue", func(_ *writer, env sim.Env) {
				env.Stream(1).Send(letter{1, 0})
				env.Stream(1).Send(letter{2, 0})
			}),
			action("pack", func(_ *writer, env sim.Env) { env.Stream(1).Send(parcel{}) }),
		},
	}
	w, err := kernel.NewWorld(&sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &Player{Run: replay.NewRun(w)}
}

// scriptOf returns the script of a path.
func scriptOf(t *testing.T, p *Player, path ...int32) Script {
	t.Helper()
	run, err := p.Follow(choose.Path(path))
	if err != nil || run.Finding != nil {
		t.Fatal(err, run.Finding)
	}
	return run.Script
}

// keysOf returns the keys of the steps of a script.
func keysOf(s Script) (keys []string) {
	for i := range s.Steps {
		keys = append(keys, s.Steps[i].Key)
	}
	return keys
}

// If the content of a message depends on a step that is left out, its delivery is replaced by that of the most similar one.
func TestPlayer_SimilarMessage(t *testing.T) {
	p := writers(t)
	whole := scriptOf(t, p, 0, 1, 5)
	if got := whole.Steps[2].Key; got != "deliver n1<-n0 datagram letter{Number:2 Epoch:1}" {
		t.Fatalf("the run ends with %s", got)
	}
	got := keysOf(p.Play(whole.without(0, 1)).Script)
	if want := []string{"action n0 write", "deliver n1<-n0 datagram letter{Number:2 Epoch:0}"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A message that blocks the stream of a delivery is delivered first.
func TestPlayer_Unblock(t *testing.T) {
	p := writers(t)
	p.Unblock = true
	whole := scriptOf(t, p, 3, 4)
	whole.Steps = slices.Insert(whole.Steps, 0, scriptOf(t, p, 2, 4).Steps...)
	got := keysOf(p.Play(whole).Script)
	want := []string{
		"action n0 queue", "deliver n1<-n0 stream letter{Number:1 Epoch:0}", "action n0 pack",
		"deliver n1<-n0 stream letter{Number:2 Epoch:0}", "deliver n1<-n0 stream parcel{}",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// hushed is a service whose node 0 sends a letter before its parcel, except after 3 steps.
type hushed struct {
	sim.Nop
	Steps  int
	Parcel bool
}

func (h *hushed) Receive(_ sim.Env, _ sim.NodeID, m any) { _, h.Parcel = m.(parcel) }

// A run becomes smaller by steps that avoid a message in front of the last one.
func TestRun_Unblocks(t *testing.T) {
	sys := sim.System{
		Name: "hushed", Nodes: 2, Network: netsim.Streams{}, New: func(sim.NodeID) sim.Service { return &hushed{} },
		Actions: []sim.AnyAction{
			sim.Action[*hushed]{Name: "hush", Do: func(h *hushed, _ sim.Env) { h.Steps++ }},
			sim.Action[*hushed]{Name: "pack", Do: func(h *hushed, env sim.Env) {
				if h.Steps < 3 {
					env.Stream(1 - env.Self()).Send(letter{})
				}
				env.Stream(1 - env.Self()).Send(parcel{})
			}},
		},
		Properties: []sim.Property{{Name: "none", Always: func(v *sim.View) bool { return !v.Service(1).(*hushed).Parcel }}},
	}
	// In each state the events are both actions of both nodes, and then deliveries. The budget suffices for no random runs.
	r, err := Run(t.Context(), Config{
		Walks: critical.Config{System: sys}, Path: choose.Path{0, 0, 0, 1, 4}, MaxSteps: 40,
		Finding: sim.Finding{Kind: sim.Safety, Property: "none"},
	})
	if err != nil || r.Steps != 3 {
		t.Errorf("%+v, %v; want 3 steps", r, err)
	}
}
