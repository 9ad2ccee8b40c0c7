package transport_test

import (
	"strconv"
	"testing"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
	"github.com/macemc/macemc/systems/transport"
)

func explore(t *testing.T, c spec.Config, l sim.Limits, cfg search.Config) *search.Result {
	t.Helper()
	cfg.System = systest.Build(t, transport.Entry(), c, l, cfg.Property)
	return systest.Search(t, cfg, 20)
}

// Each bug is found with its defaults: as the expected kind with all properties, and as the paper's kind with the
// paper's property alone. Without the bug the same settings find nothing.
func TestBugsAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	e := transport.Entry()
	for i := range e.Bugs {
		b := &e.Bugs[i]
		t.Run(b.ID, func(t *testing.T) {
			for _, property := range []string{"", b.PaperProperty} {
				res := explore(t, b.Apply(spec.Config{}), b.Defaults.Limits, search.Config{Property: property, MaxPaths: 20_000})
				f := res.Finding
				if f == nil {
					t.Fatalf("property %q: not found in %d paths", property, res.Stats.Paths)
				}
				if !b.Accepts(f.Kind) {
					t.Errorf("property %q: found as %s: %s: %s", property, f.Kind, f.Property, f.Message)
				}
				if property != "" && f.Property != property {
					t.Errorf("property %q: found by %q", property, f.Property)
				}
				if c, ok := res.Detail.(*critical.Result); ok && c.Case != critical.Located {
					t.Errorf("property %q: critical case %v", property, c.Case)
				}
				if b.PaperProperty == "" {
					break
				}
			}
			fixed := spec.Config{Nodes: b.Defaults.Nodes, Params: b.Defaults.Params}
			clean(t, fixed, b.Defaults.Limits, search.Config{MaxPaths: 100})
		})
	}
}

func clean(t *testing.T, c spec.Config, l sim.Limits, cfg search.Config) *search.Result {
	t.Helper()
	res := explore(t, c, l, cfg)
	if f := res.Finding; f != nil {
		t.Errorf("%+v, %+v, %s: %s: %s: %s", c, l, cfg.Strategy, f.Kind, f.Property, f.Message)
	}
	if res.Verdict != search.OK {
		t.Errorf("%+v, %+v, %s: %s", c, l, cfg.Strategy, res.Verdict)
	}
	return res
}

// The corrected code has no findings at several sizes, and every handler and event occurs.
func TestCorrected(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, c := range []struct {
		nodes, messages, packets, buffer, retries int
		limits                                    sim.Limits
		strategy                                  search.Name
		paths                                     int
	}{
		{2, 2, 1, 2, 0, sim.Limits{}, search.Walk, 300},
		{2, 4, 2, 1, 0, sim.Limits{}, search.Walk, 300},
		{3, 3, 1, 1, 0, sim.Limits{}, search.Walk, 200},
		{2, 2, 1, 2, 0, sim.Limits{sim.Crashes: 1, sim.Loss: 1, sim.Dup: 1}, search.Faulty, 400},
		{2, 4, 1, 1, 0, sim.Limits{sim.Crashes: 2, sim.Loss: 2, sim.Dup: 2}, search.Faulty, 400},
		{2, 3, 2, 1, 1, sim.Limits{sim.Crashes: 2, sim.Loss: 2, sim.Dup: 2, sim.Partitions: 1}, search.Faulty, 400},
		{3, 2, 2, 1, 0, sim.Limits{sim.Crashes: 2, sim.Loss: 1, sim.Dup: 1}, search.Faulty, 200},
		{2, 2, 1, 2, 0, sim.Limits{sim.Crashes: 1, sim.Dup: 1}, search.Deepening, 1000},
		{3, 2, 1, 1, 0, sim.Limits{sim.Crashes: 1}, search.Deepening, 300},
	} {
		config := spec.Config{Nodes: c.nodes, Params: map[string]string{
			"messages": strconv.Itoa(c.messages), "packets": strconv.Itoa(c.packets),
			"buffer": strconv.Itoa(c.buffer), "retries": strconv.Itoa(c.retries),
		}}
		res := clean(t, config, c.limits, search.Config{Strategy: c.strategy, MaxPaths: c.paths})
		if never := res.Stats.NeverHappened; len(never) > 0 && c.buffer == 1 {
			t.Errorf("%+v: never happened: %v", c, never)
		}
	}
}

// With a single message each way and no faults, a run is determined up to the order of events, and every walk is live
// after at least 2 sends, 2 packets and 2 acknowledgements.
func TestShortestRun(t *testing.T) {
	res := clean(t, spec.Config{Params: map[string]string{"messages": "1"}}, sim.Limits{}, search.Config{Strategy: search.Walk, MaxPaths: 500})
	for _, p := range res.Stats.Phases {
		if p.Name == "walks" && (p.Steps.Min != 6 || p.Live != p.Paths || p.Paths != 500) {
			t.Errorf("%d of %d walks were live, the shortest after %d steps", p.Live, p.Paths, p.Steps.Min)
		}
	}
}
