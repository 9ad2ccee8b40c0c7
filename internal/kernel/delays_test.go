package kernel_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// ticker sends to another node at each tick. Its periods are at least one second.
type ticker struct {
	sim.Nop
	Ticks int
}

func period(id sim.NodeID) time.Duration { return time.Duration(id+2) * time.Second / 2 }

func (k *ticker) Boot(env sim.Env) { env.SetTimer("tick", period(env.Self())) }

func (k *ticker) Timer(env sim.Env, _ any) {
	k.Ticks++
	env.Send((env.Self()+sim.NodeID(k.Ticks)%2+1)%3, k.Ticks)
	env.SetTimer("tick", period(env.Self()))
}

// Timers are enabled exactly where the definition says, in terms of absolute times. Resuming a checkpoint changes nothing.
func TestBounded_EnabledTimers(t *testing.T) {
	late := 0 // number of timers held back
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		bound := time.Duration(r.IntN(5)) * time.Second
		sys := &sim.System{
			Name: "tickers", Nodes: 3, Network: netsim.Datagrams{}, Timing: sim.Bounded(bound),
			New: func(sim.NodeID) sim.Service { return &ticker{} },
		}
		w, err := kernel.NewWorld(sys, kernel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Start(choose.First); err != nil {
			t.Fatal(err)
		}
		type link [2]sim.NodeID
		var ticks [3]int
		var now time.Duration             // of the last tick
		waiting := map[link]int{}         // messages
		since := map[link]time.Duration{} // time from which a link has to deliver
		due := func(id sim.NodeID) time.Duration { return time.Duration(ticks[id]+1) * period(id) }
		for step := range 300 {
			limit := min(due(0), due(1), due(2))
			for l, n := range waiting {
				if n > 0 {
					limit = min(limit, since[l])
				}
			}
			var fires [3]bool
			for _, ev := range w.Enabled() {
				if ev.Kind == eventkind.FireTimer {
					fires[ev.Node] = true
				}
			}
			for id, got := range fires {
				want := due(sim.NodeID(id)) <= limit+bound
				if got != want {
					t.Fatalf("seed %d, bound %v, step %d: the timer of n%d may fire: %v, want %v", seed, bound, step, id, got, want)
				}
				if !want {
					late++
				}
			}
			ev := w.Enabled()[r.IntN(len(w.Enabled()))]
			switch ev.Kind {
			case eventkind.FireTimer:
				now = max(now, due(ev.Node))
				ticks[ev.Node]++
				to := link{(ev.Node + sim.NodeID(ticks[ev.Node])%2 + 1) % 3, ev.Node}
				if waiting[to]++; waiting[to] == 1 {
					since[to] = now
				}
			case eventkind.Deliver:
				l := link{ev.Node, ev.Peer}
				waiting[l]--
				since[l] = now
			}
			if err := w.Step(ev, choose.First); err != nil {
				t.Fatal(err)
			}
			if r.IntN(10) == 0 {
				before := w.Fingerprint()
				c, err := w.(kernel.Checkpointer).Checkpoint()
				if err != nil {
					t.Fatal(err)
				}
				if err := w.(kernel.Checkpointer).Resume(c); err != nil || w.Fingerprint() != before {
					t.Fatalf("seed %d, step %d: resumed another state (%v)", seed, step, err)
				}
			}
		}
	}
	if late == 0 {
		t.Error("no timer was ever held back")
	}
}

// beat does nothing but set its timer again.
type beat struct{ sim.Nop }

func (beat) Boot(env sim.Env)         { env.SetTimer("beat", time.Second) }
func (beat) Timer(env sim.Env, _ any) { env.SetTimer("beat", time.Second) }

// A state holds the differences between clocks, but not the absolute time.
func TestBounded_Fingerprint(t *testing.T) {
	sys := &sim.System{Name: "beats", Nodes: 2, Timing: sim.Bounded(time.Second), New: func(sim.NodeID) sim.Service { return &beat{} }}
	w, err := kernel.NewWorld(sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(choose.First); err != nil {
		t.Fatal(err)
	}
	first := w.Fingerprint()
	for round := range 3 {
		if n := len(w.Enabled()); n != 2 {
			t.Fatalf("round %d: %d timers may fire, want 2", round, n)
		}
		for i, same := range []bool{false, true} { // n1 is one second behind after the first step
			if err := w.Step(w.Enabled()[i], choose.First); err != nil {
				t.Fatal(err)
			}
			if got := w.Fingerprint() == first; got != same {
				t.Errorf("round %d, step %d: the state is the first one: %v, want %v", round, i+1, got, same)
			}
		}
	}
}
