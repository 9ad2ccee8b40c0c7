package search_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/fairness"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/test/automaton"
	"github.com/macemc/macemc/internal/test/cases"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"pgregory.net/rapid"
)

// oracle explores a system breadth-first by brute force: every state is reached by executing its path
// again, for each event and each sequence of answers.
type oracle struct {
	states map[encoding.Fingerprint]int
	paths  []choose.Path
	next   [][]int // by the recovery relation
	live   []bool
	bad    []bool
}

// explore makes an oracle. Ordinary events of the kinds in weightless are outside the recovery relation.
func explore(t rapid.TB, sys *sim.System, weightless ...eventkind.Kind) *oracle {
	w, err := kernel.NewWorld(sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	run := replay.NewRun(w)
	o := &oracle{states: map[encoding.Fingerprint]int{}}
	meet := func() int {
		f := w.Fingerprint()
		k, ok := o.states[f]
		if !ok {
			k = len(o.paths)
			o.states[f] = k
			o.paths = append(o.paths, run.Path.Clone())
			o.next = append(o.next, nil)
			o.live = append(o.live, w.Live())
			o.bad = append(o.bad, w.Check() != nil)
		}
		return k
	}
	reach := func(p choose.Path) {
		src := &choose.Prefix{Path: p}
		if err := run.Start(src); err != nil {
			t.Fatal(err)
		}
		for !src.Done() {
			i, _ := src.Take()
			if err := run.Step(i, src); err != nil {
				t.Fatal(err)
			}
		}
	}
	reach(nil)
	meet()
	for k := 0; k < len(o.paths); k++ {
		reach(o.paths[k])
		n := len(w.Enabled()) + len(w.Injections(nil))
		for i := range n {
			var e choose.Enumerate
			for e.Next() {
				reach(o.paths[k])
				ev, _ := run.Event(i)
				aside := ev.Kind.Injection() || slices.Contains(weightless, ev.Kind)
				src := choose.SourceFunc(func(p choose.Point) int {
					pick := e.Choose(p)
					aside = aside || p.Weight(pick) == 0
					return pick
				})
				if err := run.Step(i, src); err != nil {
					t.Fatal(err)
				}
				to := meet()
				if !aside && !w.Last().Crashed {
					o.next[k] = append(o.next[k], to)
				}
			}
		}
	}
	return o
}

// dead returns the states from which the recovery relation leads to no live state.
func (o *oracle) dead() []bool {
	dead := make([]bool, len(o.live))
	for k := range dead {
		dead[k] = !o.live[k]
	}
	for changed := true; changed; {
		changed = false
		for k := range dead {
			if dead[k] && slices.ContainsFunc(o.next[k], func(to int) bool { return !dead[to] }) {
				dead[k] = false
				changed = true
			}
		}
	}
	return dead
}

func drawTable(t *rapid.T) automaton.Table {
	states := rapid.IntRange(2, 7).Draw(t, "states")
	state := rapid.IntRange(0, states-1)
	tab := automaton.Table{
		Live:    rapid.SliceOfNDistinct(state, 1, 3, rapid.ID).Draw(t, "live"),
		Crashes: rapid.IntRange(0, 2).Draw(t, "crashes"),
	}
	for range rapid.IntRange(1, 2*states).Draw(t, "moves") {
		m := automaton.To(state.Draw(t, "from"), rapid.SliceOfN(state, 1, 3).Draw(t, "to")...)
		if rapid.Bool().Draw(t, "weighted") {
			m.Weights = rapid.SliceOfN(rapid.IntRange(0, 2), len(m.To), len(m.To)).Draw(t, "weights")
			m.Weights[rapid.IntRange(0, len(m.To)-1).Draw(t, "possible")] = 1
		}
		tab.Moves = append(tab.Moves, m)
	}
	return tab
}

// Complete deepening sees all states that brute force sees. Its leaves alone make it suspect a run that ends in a dead
// state if and only if there are dead states. It may suspect others, too, because a walk may be too short.
func TestDeepening_Oracle(t *testing.T) {
	cases.Check(t, 40, func(t *rapid.T) {
		tab := drawTable(t)
		sys := tab.System()
		weights := search.DefaultWeights()
		var weightless []eventkind.Kind
		if rapid.Bool().Draw(t, "no boots") {
			weights.Consequence, weightless = 0, []eventkind.Kind{eventkind.Boot}
		}
		o := explore(t, &sys, weightless...)
		dead := o.dead()
		suspects := map[int]bool{}
		for _, strategy := range []search.Name{search.BFS, search.DFS} {
			res, err := search.Run(context.Background(), search.Config{System: sys, Strategy: strategy, Weights: weights})
			if err != nil {
				t.Fatal(err)
			}
			if (res.Verdict == search.Violation) != slices.Contains(dead, true) {
				t.Fatalf("%s: %s, dead states %v", strategy, res.Verdict, dead)
			}
		}
		cfg := search.Config{
			HandlerLimit: patient, Weights: weights, DeepenBy: rapid.IntRange(1, 5).Draw(t, "by"),
			System: sys, WalkSteps: 400, Seed: rapid.Uint64Range(1, 100).Draw(t, "seed"), Workers: rapid.IntRange(1, 3).Draw(t, "workers"),
			Confirm: func(_ context.Context, s search.Suspect) (search.Confirmed, error) {
				if k := endOf(t, o, &sys, s.Path); dead[k] && s.Strategy == search.Deepening {
					suspects[k] = true
				}
				return search.Confirmed{Refuted: true}, nil
			},
		}
		res, err := search.Run(context.Background(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		if res.Stopped != stats.StoppedComplete || res.Stats.States != len(o.paths) {
			t.Fatalf("%d states (%s), brute force finds %d", res.Stats.States, res.Stopped, len(o.paths))
		}
		if slices.Contains(dead, true) != (len(suspects) > 0) {
			t.Fatalf("dead states %v, suspects end in %v", dead, suspects)
		}
	})
}

func endOf(t rapid.TB, o *oracle, sys *sim.System, p choose.Path) int {
	c, err := replay.NewCursor(sys, p, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for !c.AtEnd() {
		if err := c.Next(); err != nil {
			t.Fatal(err)
		}
	}
	k, ok := o.states[c.World().Fingerprint()]
	if !ok {
		t.Fatal("a path leads to a state that brute force does not know")
	}
	return k
}

// The result of a search does not depend on the number of workers.
func TestRun_IndependentOfWorkers(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	rapid.Check(t, func(t *rapid.T) {
		tab := drawTable(t)
		if rapid.Bool().Draw(t, "unsafe") {
			tab.Bad = []int{rapid.IntRange(1, 6).Draw(t, "bad")}
		}
		cfg := search.Config{
			HandlerLimit: patient,
			System:       tab.System(), WalkSteps: 30, MaxDepth: rapid.IntRange(1, 8).Draw(t, "depth"), Seed: 3,
			MaxPaths: rapid.IntRange(1, 1000).Draw(t, "paths"),
			Confirm: func(_ context.Context, s search.Suspect) (search.Confirmed, error) {
				return search.Confirmed{Violation: len(s.Path) == 7}, nil
			},
			Strategy: rapid.SampledFrom(runStrategies).Draw(t, "strategy"),
		}
		results := map[string]int{}
		for _, n := range []int{1, 4, 1} {
			cfg.Workers = n
			res, err := search.Run(context.Background(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			if res.Stats.Paths > cfg.MaxPaths {
				t.Fatalf("%d paths, limit %d", res.Stats.Paths, cfg.MaxPaths)
			}
			results[withoutTimes(res)]++
		}
		if len(results) != 1 {
			t.Fatalf("results differ: %v", results)
		}
	})
}

func withoutTimes(res *search.Result) string {
	c := *res
	c.Stats.Seconds, c.Stats.Engine = 0, stats.Engine{}
	c.Stats.Phases = slices.Clone(c.Stats.Phases)
	for i := range c.Stats.Phases {
		c.Stats.Phases[i].Seconds = 0
	}
	finding, suspect, fair := search.Suspect{}, search.Suspect{}, stats.Fair{}
	if c.Suspect != nil {
		suspect = *c.Suspect
	}
	if c.Finding != nil {
		finding = *c.Finding
	}
	starved := fairness.Starvation{}
	if finding.Starved != nil {
		starved, finding.Starved = *finding.Starved, nil
	}
	if c.Stats.Fair != nil {
		fair = *c.Stats.Fair
	}
	c.Finding, c.Suspect, c.Stats.Fair = nil, nil, nil
	return fmt.Sprintf("%+v %+v %+v %+v %+v", c, finding, suspect, fair, starved)
}

// Exhaustive search of the recovery relation from each state agrees with brute force, and shows a live state.
func TestRecover_Oracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tab := drawTable(t)
		sys := tab.System()
		o := explore(t, &sys)
		dead := o.dead()
		for k, path := range o.paths {
			r, err := table.Recover(context.Background(), &sys, path, options.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if r.Dead() != dead[k] || r.Live != nil == dead[k] || r.States > len(o.paths) {
				t.Fatalf("state %d: %+v, by brute force dead: %v", k, r, dead[k])
			}
			if r.Live != nil && !o.live[endOf(t, o, &sys, r.Live)] {
				t.Fatalf("state %d: %v does not lead to a live state", k, r.Live)
			}
		}
	})
}
