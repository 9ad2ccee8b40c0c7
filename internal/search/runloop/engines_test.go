package runloop_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/search/meter"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/internal/test/automaton"
	"github.com/macemc/macemc/search"
)

// byEngine makes four runs of that many steps, with the engine switched after each if it is selected by measuring. prepare
// is called before.
func byEngine(t *testing.T, engine string, steps int, prepare func(*runloop.Loop)) runloop.Counts {
	t.Helper()
	sys := automaton.Table{Moves: []automaton.Move{automaton.To(0, 1), automaton.To(1, 0)}}.System()
	l, err := runloop.NewByEngine(&sys, engine, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l.Alternate()
	prepare(l)
	walker := runs.NewWalker(search.DefaultWeights().Scale(), steps)
	l.Measure(func() {
		for k := range uint64(4) {
			walker.Seed(1, k)
			if o := l.Run(walker, runloop.Task{}); o.End != runloop.TooLong || o.Steps != steps {
				t.Fatalf("run %d by %s: got %+v, want %d steps", k, engine, o, steps)
			}
		}
	})
	return l.Counts()
}

// A requested engine executes all runs, and is not measured. Otherwise both do, beginning with the tables, and each event is
// counted and measured once.
func TestCounts_EventsByEngine(t *testing.T) {
	const steps = 5
	for engine, want := range map[string][2]int{
		runloop.ReplayEngine: {meter.ByReplay: 4 * steps},
		runloop.TableEngine:  {meter.ByTable: 4 * steps},
		runloop.AutoEngine:   {meter.ByReplay: 2 * steps, meter.ByTable: 2 * steps},
	} {
		c := byEngine(t, engine, steps, func(*runloop.Loop) {})
		if c.Asked != engine || c.Events != want {
			t.Errorf("%s: got %q, %v events; want %v", engine, c.Asked, c.Events, want)
		}
		measured := want
		if engine != runloop.AutoEngine {
			measured = [2]int{}
		}
		if c.Measured != measured {
			t.Errorf("%s: measured %v events, want %v", engine, c.Measured, measured)
		}
		if n := want[meter.ByTable] / steps * (steps + 1); c.Tables.Steps != n { // with the start of each run
			t.Errorf("%s: the tables counted %d steps, want %d", engine, c.Tables.Steps, n)
		}
	}
}

// A loop that keeps a state executes all later runs by the replay engine, unless the path is short or tables were
// requested.
func TestKeep_PinsReplayEngine(t *testing.T) {
	const long, steps = 200, 5
	for _, c := range []struct {
		engine string
		length int
		want   [2]int
	}{
		{runloop.AutoEngine, long, [2]int{meter.ByReplay: 4 * steps}},
		{runloop.AutoEngine, long - 1, [2]int{meter.ByReplay: 2 * steps, meter.ByTable: 2 * steps}},
		{runloop.TableEngine, long, [2]int{meter.ByTable: 4 * steps}},
	} {
		got := byEngine(t, c.engine, steps, func(l *runloop.Loop) { l.Keep(make(choose.Path, c.length)) })
		if got.Events != c.want {
			t.Errorf("%s, path of %d choices: %v events, want %v", c.engine, c.length, got.Events, c.want)
		}
	}
}

// Counts of several loops add up. The first reasons stay, and each type has one plan, in order.
func TestCounts_Add(t *testing.T) {
	c := runloop.Counts{Plans: []store.Plan{{Type: "b"}}, Events: [2]int{1, 2}}
	c.Add(runloop.Counts{
		Asked: runloop.AutoEngine, Why: "first", Events: [2]int{10, 20}, CPU: [2]time.Duration{1, 2}, Measured: [2]int{3, 4},
		Tables: steptree.Stats{Steps: 1, Misses: 2, Handlers: 3, Tried: 4}, Plans: []store.Plan{{Type: "c"}, {Type: "a"}, {Type: "b"}},
	})
	c.Add(runloop.Counts{
		Asked: runloop.TableEngine, Why: "second", Programs: true, CPU: [2]time.Duration{10, 20}, Measured: [2]int{30, 40},
		Tables: steptree.Stats{Steps: 10, Misses: 20, Handlers: 30, Tried: 40},
	})
	want := runloop.Counts{
		Asked: runloop.AutoEngine, Why: "first", Programs: true, Events: [2]int{11, 22}, CPU: [2]time.Duration{11, 22}, Measured: [2]int{33, 44},
		Tables: steptree.Stats{Steps: 11, Misses: 22, Handlers: 33, Tried: 44}, Plans: []store.Plan{{Type: "a"}, {Type: "b"}, {Type: "c"}},
	}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got  %+v\nwant %+v", c, want)
	}
}
