package search_test

import (
	"testing"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// pledge is the message that a pledger must send only once.
type pledge struct{}

// pledger persists that it has pledged, and sends it to node 1, in one order or the other.
type pledger struct {
	sim.Nop
	Pledged   bool
	sendFirst bool
}

func (p *pledger) Boot(env sim.Env) { _, p.Pledged = env.Disk().Get("pledged") }

func (p *pledger) Pledge(env sim.Env) {
	p.Pledged = true
	if p.sendFirst {
		env.Send(1, pledge{})
	}
	env.Disk().Put("pledged", nil)
	env.Disk().Sync()
	if !p.sendFirst {
		env.Send(1, pledge{})
	}
}

type collector struct {
	sim.Nop
	Got int
}

func (c *collector) Receive(sim.Env, sim.NodeID, any) { c.Got++ }

func pledging(sendFirst bool) sim.System {
	return sim.System{
		Name: "pledging", Nodes: 2, Network: netsim.Datagrams{}, Crashes: 2,
		MayCrash: func(id sim.NodeID) bool { return id == 0 },
		New: func(id sim.NodeID) sim.Service {
			if id == 0 {
				return &pledger{sendFirst: sendFirst}
			}
			return &collector{}
		},
		Actions: []sim.AnyAction{sim.Action[*pledger]{Name: "pledge",
			When: func(p *pledger) bool { return !p.Pledged }, Do: (*pledger).Pledge}},
		Properties: []sim.Property{{Name: "at most one pledge",
			Always: sim.Each(func(_ sim.NodeID, c *collector) bool { return c.Got <= 1 })}},
	}
}

// Sent before persisted: the run must crash between two effects of one step. Persisted before sent, all
// states are clean.
func TestSentBeforePersisted(t *testing.T) {
	for _, strategy := range []search.Name{search.Deepening, search.BFS, search.Faulty} {
		sys := pledging(true)
		res := run(t, search.Config{System: sys, Strategy: strategy, MaxPaths: 50_000})
		if res.Verdict != search.Violation || res.Finding.Kind != sim.Safety || res.Finding.Property != "at most one pledge" {
			t.Fatalf("%s: %s, %+v", strategy, res.Verdict, res.Finding)
		}
		trace, err := replay.Record(&sys, res.Finding.Path, kernel.Options{Trace: true})
		if err != nil {
			t.Fatal(err)
		}
		inside := false
		for _, s := range trace.Steps {
			inside = inside || s.Crashed && s.Effects[0].Applied && !s.Effects[len(s.Effects)-1].Applied
		}
		if !inside {
			t.Errorf("%s: no step of the run crashed between its effects", strategy)
		}
	}
	for _, strategy := range []search.Name{search.Deepening, search.BFS} {
		res := run(t, search.Config{System: pledging(false), Strategy: strategy})
		if res.Verdict != search.OK || !res.Stats.Complete {
			t.Errorf("persisted first, %s: %s, %+v", strategy, res.Verdict, res.Finding)
		}
	}
}

type stamp struct{ At macetime.Time }

// stamper compares the time that its peer sends with its own.
type stamper struct {
	sim.Nop
	Later bool
}

func (s *stamper) Boot(env sim.Env) { env.Send(1-env.Self(), stamp{env.Clock().Now()}) }

func (s *stamper) Receive(env sim.Env, _ sim.NodeID, msg any) {
	s.Later = env.Clock().Before(env.Clock().Now(), msg.(stamp).At)
}

// Comparisons of times of different nodes are reported, because the search then tries more orders than are real.
func TestForeignTimesAreReported(t *testing.T) {
	for sends, want := range map[bool]bool{true: true, false: false} {
		sys := sim.System{Name: "stamps", Nodes: 2, Network: netsim.Datagrams{}, New: func(sim.NodeID) sim.Service {
			if sends {
				return &stamper{}
			}
			return &collector{}
		}}
		if res := run(t, search.Config{System: sys, MaxPaths: 100}); res.Stats.ForeignTimes != want {
			t.Errorf("compared: %v, reported: %v", sends, res.Stats.ForeignTimes)
		}
	}
}
