package mdb_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/test/papers"
	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/mdb"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// The debugger determines the chain of causes while it reads a run, and the event graph does so from the run's trace. Both must agree.
func TestCauses(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, e := range papers.All() {
		t.Run(e.Name, func(t *testing.T) {
			e.Limits = sim.Limits{}
			cfg, err := e.Configure(spec.Config{})
			if err != nil {
				t.Skip(err)
			}
			sys, err := e.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range []sim.Limits{{sim.Crashes: 2, sim.NetErrors: 2, sim.Partitions: 2}, {sim.Crashes: 2, sim.Loss: 2, sim.Dup: 2, sim.Partitions: 1}, {sim.Crashes: 2}} {
				if with, err := sys.WithLimits(l); err == nil {
					sys = with
					break
				}
			}
			for seed := range uint64(3) {
				sameCauses(t, &sys, systest.RandomPath(t, &sys, seed, 150))
			}
			if sys.Containers = [][]sim.NodeID{{0, sim.NodeID(sys.Nodes - 1)}}; sys.Nodes > 1 && sys.MayCrash == nil && sys.MayHalt == nil {
				sameCauses(t, &sys, systest.RandomPath(t, &sys, 3, 150))
			}
		})
	}
}

func sameCauses(t *testing.T, sys *sim.System, path choose.Path) {
	t.Helper()
	s := opened(t, mdb.Config{System: sys, Path: path})
	trace, err := replay.Record(sys, path, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := eventgraph.Build(trace)
	for n := 1; n <= g.Last(); n++ {
		ev := &g.Events[n]
		out := do(t, s, fmt.Sprintf("why %d", n))
		lines := slices.DeleteFunc(strings.Split(out, "\n"),
			func(l string) bool {
				return strings.HasPrefix(l, "       the property ") || strings.HasPrefix(l, "       the monitor observed")
			})
		got := -1
		if !strings.Contains(lines[1], "a fault") {
			if _, err := fmt.Sscan(lines[2], &got); err != nil {
				t.Fatalf("%s: %v", out, err)
			}
		}
		want := -1
		kind, _ := eventkind.Parse(ev.Kind)
		switch kind {
		case eventkind.Deliver, eventkind.Lose, eventkind.Duplicate:
			want = g.Messages[ev.Consumed[0]].Sent
		case eventkind.FireTimer:
			i := slices.IndexFunc(ev.Ends, func(i int) bool { return g.Timers[i].Ended == "fired" })
			want = g.Timers[ev.Ends[i]].Set
		case eventkind.Boot, eventkind.DoAction:
			want = 0
			for _, before := range g.Events[1:n] {
				if k, _ := eventkind.Parse(before.Kind); kind == eventkind.Boot && (k == eventkind.Crash || before.Crashed) && (before.Node == ev.Node || slices.Contains(before.With, ev.Node)) ||
					before.Node == ev.Node && kind == eventkind.DoAction && k == eventkind.Boot {
					want = before.Step
				}
			}
		case eventkind.Internal, eventkind.Arrive:
			want = 0
			for _, before := range g.Events[1:n] {
				k, _ := eventkind.Parse(before.Kind)
				if before.Node == ev.Node && !k.Injection() && k != eventkind.Arrive && k != eventkind.Heal {
					want = before.Step
				}
			}
		case eventkind.Heal, eventkind.DeliverError:
			if strings.HasSuffix(ev.Key, sim.ErrRefused.Error()) {
				want = lastSent(g, ev)
				if !strings.Contains(lines[1], "refused") {
					t.Errorf("nothing broke:\n%s", out)
				}
			} else if want = got; !slices.Contains(ev.Causes, got) {
				t.Errorf("step %d follows from %v", n, ev.Causes)
			}
		case eventkind.DeliverReady: // the graph shows what made room, and the chain what was refused before
			want = lastRefused(trace, ev)
		}
		if got != want {
			t.Errorf("step %d follows from %d, but why says\n%s", n, want, out)
		}
	}
}

// lastSent returns the last step before ev in which its node sent to its peer in a stream.
func lastSent(g *eventgraph.Graph, ev *eventgraph.Event) int {
	last := -1
	for _, m := range g.Messages {
		if m.Stream && m.From == ev.Node && m.To == ev.Peer && m.Sent < ev.Step {
			last = max(last, m.Sent)
		}
	}
	return last
}

// lastRefused returns the last step before ev in which its node's stream to its peer was full.
func lastRefused(trace *replay.Trace, ev *eventgraph.Event) int {
	last := -1
	for _, s := range trace.Steps[:ev.Step-1] {
		for _, f := range s.Effects {
			if f.Applied && s.Node == ev.Node && f.Peer == ev.Peer && f.Kind == stepinfo.RefusedEffect.String() {
				last = s.Number
			}
		}
	}
	return last
}
