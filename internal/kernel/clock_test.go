package kernel_test

import (
	"testing"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

type heard struct{ At macetime.Time }

// watcher checks whether a time-out has passed since it booted, and lets its peer compare times too.
type watcher struct {
	sim.Nop
	Since   macetime.Time
	Peer    macetime.Time
	Late    int // answers "passed"
	Foreign int
}

func (w *watcher) Boot(env sim.Env) {
	w.Since = env.Clock().Now()
	env.Send(1-env.Self(), heard{w.Since})
	env.SetTimer("look", time.Second)
}

func (w *watcher) Timer(env sim.Env, _ any) {
	if env.Clock().Before(w.Since.Add(time.Second), env.Clock().Now()) {
		w.Late++
	}
	if w.Late < 3 {
		env.SetTimer("look", time.Second)
	}
}

func (w *watcher) Receive(env sim.Env, _ sim.NodeID, msg any) {
	w.Peer = msg.(heard).At
	if env.Clock().Before(w.Since, w.Peer) {
		w.Foreign++
	}
}

func watching() *sim.System {
	return &sim.System{Name: "watching", Nodes: 2, Network: netsim.Datagrams{},
		New: func(sim.NodeID) sim.Service { return &watcher{} }}
}

// step executes the event of a key, answers all questions with pick, and returns their number.
func step(t *testing.T, w kernel.World, key string, pick int) (asked int) {
	t.Helper()
	for _, ev := range w.Enabled() {
		if w.Key(ev) != key {
			continue
		}
		if err := w.Step(ev, choose.SourceFunc(func(p choose.Point) int {
			asked++
			if p.Kind.Class() != choose.Compare {
				t.Errorf("asked %+v", p)
			}
			return pick
		})); err != nil {
			t.Fatal(err)
		}
		return asked
	}
	t.Fatalf("%q is not enabled; %q are", key, keys(w))
	return 0
}

func TestClock_ChoiceUntilDecided(t *testing.T) {
	w := start(t, watching())
	look := `timer n0 "look"`
	if asked := step(t, w, look, 0); asked != 1 {
		t.Errorf("first look: %d questions, want 1", asked)
	}
	if asked := step(t, w, look, 1); asked != 1 {
		t.Errorf("not passed before, so it is open whether it has now: %d questions, want 1", asked)
	}
	if asked := step(t, w, look, 0); asked != 0 {
		t.Errorf("passed before, so it has passed now: %d questions, want 0", asked)
	}
	if late := w.Service(0).(*watcher).Late; late != 2 {
		t.Errorf("%d times late, want 2", late)
	}
}

func TestClock_OthersUnordered(t *testing.T) {
	w := start(t, watching())
	for _, node := range []string{"0", "1"} {
		other := map[string]string{"0": "1", "1": "0"}[node]
		for _, key := range keys(w) {
			if want := "deliver n" + node + "<-n" + other; len(key) > len(want) && key[:len(want)] == want {
				if asked := step(t, w, key, 1); asked != 1 {
					t.Errorf("%s: %d questions, want 1", key, asked)
				}
				break
			}
		}
	}
}

// Different numbers of readings lead to the same state: the numbering of readings does not count.
func TestClock_ReadingNumbers(t *testing.T) {
	state := func(looks int) encoding.Fingerprint {
		w := start(t, watching())
		for range looks {
			step(t, w, `timer n0 "look"`, 0)
		}
		return w.Fingerprint()
	}
	if state(1) != state(2) || state(1) != state(5) {
		t.Error("looking in vain again and again gives new states")
	}
}

type dates struct {
	From, To macetime.Time
	List     []macetime.Time
}

// passer passes on the messages that it receives.
type passer struct {
	sim.Nop
	Got []macetime.Time
}

func (p *passer) Boot(env sim.Env) {
	if env.Self() == 0 {
		now, later := env.Clock().Now(), env.Clock().Now()
		env.Send(1, dates{now, later, []macetime.Time{now, later}})
	}
}

func (p *passer) Receive(env sim.Env, from sim.NodeID, msg any) {
	d := msg.(dates)
	if p.Got = append(d.List, d.From, d.To); from == 0 {
		env.Send(0, d)
	}
}

// A message may hold several times. Every comparison of them is a choice, also at the node that read them.
func TestMessagesOfSeveralTimes(t *testing.T) {
	sys := &sim.System{Name: "dates", Nodes: 2, Network: netsim.Datagrams{}, New: func(sim.NodeID) sim.Service { return &passer{} }}
	w, err := kernel.NewWorld(sys, kernel.Options{CheckMessages: true})
	if err != nil {
		t.Fatal(err)
	}
	first := choose.SourceFunc(func(choose.Point) int { return 0 })
	if err := w.Start(first); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := w.Step(w.Enabled()[0], first); err != nil {
			t.Fatal(err)
		}
	}
	for id := range sim.NodeID(2) {
		for _, at := range w.Service(id).(*passer).Got {
			if _, _, owner := at.Raw(); owner >= 0 {
				t.Errorf("n%d has a time of the clock of n%d", id, owner)
			}
		}
	}
}
