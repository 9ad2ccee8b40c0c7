package netsim

import (
	"errors"
	"slices"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// talker says hello to its peer and answers each hello once.
type talker struct {
	sim.Nop
	Failed int
}

type (
	hello  struct{}
	answer struct{}
)

func (k *talker) Hello(env sim.Env) { _ = env.Stream(1 - env.Self()).Send(hello{}) }

func (k *talker) Receive(env sim.Env, from sim.NodeID, msg any) {
	if msg == (hello{}) {
		_ = env.Stream(from).Send(answer{})
	}
}

func (k *talker) PeerError(_ sim.Env, _ sim.NodeID, err error) {
	if errors.Is(err, sim.ErrReset) {
		k.Failed++
	}
}

// watched lets a property read the network model of the latest world.
type watched struct {
	Streams
	model **model
}

func (n watched) Start(host netmodel.Host) netmodel.Model {
	m := n.Streams.Start(host)
	*n.model = m.(*model)
	return m
}

func talkers(n Streams) *sim.System {
	network := watched{n, new(*model)}
	return &sim.System{
		Name:    "talkers",
		Nodes:   2,
		New:     func(sim.NodeID) sim.Service { return &talker{} },
		Network: network,
		Crashes: 1,
		Actions: []sim.AnyAction{sim.Action[*talker]{Name: "hello", Times: 1, Do: (*talker).Hello}},
		Properties: []sim.Property{{
			Name:    "the four variables are legal",
			Always:  func(*sim.View) bool { return (*network.model).legal() == nil },
			Explain: func(*sim.View) string { return (*network.model).legal().Error() },
		}},
	}
}

// violation executes the system in every way up to depth steps, shortest runs first, and returns the events of the
// first run that ends in a violation.
func violation(t *testing.T, sys *sim.System, depth int) (steps []string, runs int, found error) {
	t.Helper()
	w, err := kernel.NewWorld(sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for limit := 1; limit <= depth; limit++ {
		var e choose.Enumerate
		for e.Next() {
			runs++
			if err := w.Start(&e); err != nil {
				t.Fatal(err)
			}
			steps = steps[:0]
			for range limit {
				events := w.Injections(slices.Clone(w.Enabled()))
				if len(events) == 0 {
					break
				}
				ev := events[e.Choose(choose.Point{Kind: choose.Event, Arity: len(events)})]
				steps = append(steps, w.Key(ev))
				err := w.Step(ev, &e)
				if err == nil {
					err = w.Check()
				}
				if err != nil {
					return steps, runs, err
				}
			}
		}
	}
	return nil, runs, nil
}

// The checker checks the model: the correct one has only legal combinations, and each mutation of the bug catalogue is
// detected.
func TestCheckedByTheChecker(t *testing.T) {
	for _, test := range []struct {
		name     string
		mutation mutation
		steps    int // of the shortest run that shows it; 0 means none up to depth 8
	}{
		{"correct", 0, 0},
		{"SIM1", sim1, 3}, // hello, its delivery, crash
		{"SIM2", sim2, 4}, // hello, its delivery, crash, the error is read
		{"SIM3", sim3, 4}, // hello, its delivery, socket error, crash
	} {
		t.Run(test.name, func(t *testing.T) {
			steps, runs, found := violation(t, talkers(Streams{Errors: 1, mutation: test.mutation}), 8)
			t.Logf("%d runs: %q %v", runs, steps, found)
			if len(steps) != test.steps || (found != nil) != (test.steps > 0) {
				t.Errorf("found %v after %d steps, want %d", found, len(steps), test.steps)
			}
		})
	}
}
