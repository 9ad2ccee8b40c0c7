package gossip_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/gossip"
	"github.com/macemc/macemc/systems/spec"
)

// build returns a system with the named properties, or all.
func build(t *testing.T, c spec.Config, timing sim.Timing, l sim.Limits, properties ...string) sim.System {
	t.Helper()
	sys := systest.Build(t, gossip.Entry(), c, l, properties...)
	sys.Timing = timing
	return sys
}

func run(t *testing.T, cfg search.Config) *search.Result {
	t.Helper()
	return systest.Search(t, cfg, 20)
}

// row is a line of the table in the package's documentation.
type row struct {
	timing            string
	nodes             int
	suspicion, rejoin string
	limits            sim.Limits
	death, agreement  string
}

func readTable(t *testing.T) (rows []row) {
	t.Helper()
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.ReplaceAll(strings.TrimPrefix(line, "//\t"), "not found", "not-found")
		var r row
		n, _ := fmt.Sscan(line, &r.timing, &r.nodes, &r.suspicion, &r.rejoin, &r.limits[sim.Crashes], &r.limits[sim.Loss], &r.death, &r.agreement)
		if n == 8 {
			rows = append(rows, r)
		}
	}
	return rows
}

// The table in the package's documentation shows the actual results.
func TestTable(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	rows := readTable(t)
	if len(rows) != 17 {
		t.Errorf("%d rows, want 17", len(rows))
	}
	for _, r := range rows {
		for property, want := range map[string]string{gossip.NoFalseDeath: r.death, gossip.Agreement: r.agreement} {
			t.Run(fmt.Sprintf("%+v %s", r, property), func(t *testing.T) {
				t.Parallel()
				timing, err := simext.ParseTiming(r.timing)
				if err != nil {
					t.Fatal(err)
				}
				c := params("suspicion", r.suspicion, "rejoin", r.rejoin)
				c.Nodes = r.nodes
				cfg := search.Config{System: build(t, c, timing, r.limits, property)}
				switch want {
				case "proved":
					cfg.Strategy = search.BFS
				case "not-found":
					cfg.MaxPaths = 500
				case "violated":
					cfg.MaxPaths = 20_000
					if property == gossip.NoFalseDeath {
						cfg.Strategy = search.BFS
					}
				}
				res := run(t, cfg)
				switch got := res.Finding; {
				case want == "violated":
					if got == nil || got.Property != property {
						t.Errorf("found %+v after %s", got, res.Stopped)
					}
				case got != nil:
					t.Errorf("found %s: %s", got.Property, got.Message)
				case want == "proved":
					if !res.Stats.Complete || property == gossip.Agreement && !res.Stats.Recovers {
						t.Errorf("not complete: %+v", res.Stats)
					}
				case res.Stopped != stats.StoppedPaths || res.Verdict != search.OK:
					t.Errorf("%s, stopped by %s", res.Verdict, res.Stopped)
				}
			})
		}
	}
}

// Without faults and with Prompt timing nodes probe one after another, because no timer fires while a message is in
// flight, and no state remains. n nodes are idle, in 1 state, or one of n(n-1) ordered pairs has a Ping or its Ack in
// flight. There is a transition for each choice of a pair, and one for each message.
func TestCounts(t *testing.T) {
	for n := 2; n <= 8; n++ {
		res := run(t, search.Config{System: build(t, spec.Config{Nodes: n}, sim.Prompt, sim.Limits{}), Strategy: search.BFS})
		pairs := n * (n - 1)
		if s := res.Stats; s.States != 1+2*pairs || s.Transitions != 3*pairs || !s.Complete || !s.Recovers {
			t.Errorf("%d nodes: %d states and %d transitions, want %d and %d", n, s.States, s.Transitions, 1+2*pairs, 3*pairs)
		}
	}
}

// Every bug is found with its defaults, and nothing with the same settings without it.
func TestBugs(t *testing.T) {
	e := gossip.Entry()
	for _, b := range e.Bugs {
		for _, alone := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s alone=%t", b.ID, alone), func(t *testing.T) {
				t.Parallel()
				var properties []string
				if alone {
					properties = []string{b.PaperProperty}
				}
				c := b.Apply(spec.Config{})
				res := run(t, search.Config{System: build(t, c, sim.Prompt, b.Defaults.Limits, properties...), MaxPaths: 20_000})
				f := res.Finding
				if f == nil {
					t.Fatalf("not found in %d paths", res.Stats.Paths)
				}
				if !b.Accepts(f.Kind) || f.Property != b.PaperProperty {
					t.Errorf("found as %s: %s: %s", f.Kind, f.Property, f.Message)
				}
				c.Bugs = nil
				res = run(t, search.Config{System: build(t, c, sim.Prompt, b.Defaults.Limits), Strategy: search.BFS})
				if !res.Stats.Complete || res.Finding != nil {
					t.Errorf("corrected: %+v", res)
				}
			})
		}
	}
}

// The corrected protocol recovers from all faults at several sizes, and every handler and event occurs.
func TestCorrected(t *testing.T) {
	often := search.Weights{Message: 8, Timer: 4, Consequence: 1, Fault: 1}
	for _, nodes := range []int{2, 3, 5} {
		for strategy, paths := range map[search.Name]int{search.Deepening: 200, search.Faulty: 500} {
			t.Run(fmt.Sprintf("%d nodes %s", nodes, strategy), func(t *testing.T) {
				t.Parallel()
				res := run(t, search.Config{
					System:   build(t, spec.Config{Nodes: nodes}, sim.Prompt, sim.Limits{sim.Crashes: 1, sim.Loss: 2}),
					Strategy: strategy, Weights: often, MaxPaths: paths,
				})
				if f := res.Finding; f != nil {
					t.Fatalf("%s: %s: %s", f.Kind, f.Property, f.Message)
				}
				if res.Verdict != search.OK || res.Stopped != stats.StoppedPaths {
					t.Errorf("verdict %s, stopped by %s", res.Verdict, res.Stopped)
				}
				if strategy == search.Faulty && len(res.Stats.NeverHappened) > 0 {
					t.Errorf("never happened: %v", res.Stats.NeverHappened)
				}
			})
		}
	}
}
