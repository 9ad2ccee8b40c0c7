package search_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/test/automaton"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/pingack"
)

// quiet is pingack without losses, and correct.
func quiet(t *testing.T) sim.System {
	t.Helper()
	sys, err := pingack.System.WithLimits(sim.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return sys
}

func TestMaxPaths(t *testing.T) {
	many := 1000
	if testing.Short() {
		many = 100
	}
	for _, s := range runStrategies {
		for _, n := range []int{1, 7, many} {
			res := run(t, search.Config{System: pingack.System, Strategy: s, MaxPaths: n, Confirm: refute})
			if res.Stats.Paths != n || res.Stopped != stats.StoppedPaths {
				t.Errorf("%s: %d paths, %s; want %d, paths", s, res.Stats.Paths, res.Stopped, n)
			}
		}
	}
}

func refute(context.Context, search.Suspect) (search.Confirmed, error) {
	return search.Confirmed{Refuted: true}, nil
}

func TestMaxDepth(t *testing.T) {
	res := run(t, search.Config{System: pingack.System, MaxDepth: 4, Confirm: refute})
	if res.Stats.ExhaustedDepth != 4 || res.Stopped != stats.StoppedDepth || res.Stats.Complete {
		t.Errorf("got %+v", res.Stats)
	}
	for _, p := range res.Stats.Phases {
		if p.Name == "deepening" && p.Choices.Max != 4 {
			t.Errorf("%d choices, want 4", p.Choices.Max)
		}
	}
}

func TestTimeAndInterruption(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	var last search.Progress
	told := 0
	cfg := search.Config{System: quiet(t), Strategy: search.Walk, Time: 2 * time.Second, Progress: func(p search.Progress) {
		told++
		if p.Paths < last.Paths || p.Events < last.Events || p.Elapsed < last.Elapsed || p.Phase != "walks" {
			t.Errorf("progress %+v after %+v", p, last)
		}
		last = p
	}}
	res := run(t, cfg)
	if res.Stopped != stats.StoppedTime || res.Verdict != search.OK || res.Stats.Paths == 0 || told == 0 {
		t.Errorf("got %+v, told %d times", res, told)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cfg.Time, cfg.Progress = time.Hour, func(search.Progress) { cancel() }
	res, err := search.Run(ctx, cfg)
	if err != nil || res.Stopped != stats.StoppedInterrupted || res.Stats.Paths == 0 {
		t.Errorf("got %+v, %v", res, err)
	}
	// No work was done.
	res, err = search.Run(ctx, cfg)
	if err != nil || res.Stopped != stats.StoppedInterrupted || res.Verdict != search.Interrupted {
		t.Errorf("got %+v, %v", res, err)
	}
}

func TestBadConfig(t *testing.T) {
	for _, c := range []struct {
		change func(*search.Config)
		want   string
	}{
		{func(c *search.Config) { c.Strategy = "best" }, `Strategy "best" is not available; accepted are deepening, walk, faulty`},
		{func(c *search.Config) { c.MaxDepth = -1 }, "MaxDepth is -1"},
		{func(c *search.Config) { c.Time = -time.Second }, "Time is -1s"},
		{func(c *search.Config) { c.Weights.Timer = -1 }, "weight timer is -1"},
		{func(c *search.Config) { c.Weights.Fault = 3 }, "all weights of ordinary events are 0"},
		{func(c *search.Config) { c.Property = "no such" }, `no property or monitor "no such"`},
		{func(c *search.Config) { c.System.Nodes = 0 }, "Nodes is 0"},
		{func(c *search.Config) { c.Prefix = choose.Path{0, 9} }, "prefix: step 2: the path picks event 9"},
	} {
		cfg := search.Config{System: pingack.System}
		c.change(&cfg)
		if _, err := search.Run(context.Background(), cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want an error with %q", err, c.want)
		}
	}
}

// A search from a prefix begins there: no state follows 22 on the grid, 4 states follow 11.
func TestPrefix(t *testing.T) {
	for _, c := range []struct {
		prefix choose.Path
		states int
		depth  int
	}{{choose.Path{0, 0, 0, 0}, 1, 1}, {choose.Path{0, 1}, 4, 1}} {
		res := run(t, search.Config{System: gridSystem(), Prefix: c.prefix})
		if res.Stats.States != c.states || !res.Stats.Complete || res.Stats.ExhaustedDepth != c.depth {
			t.Errorf("from %v: %+v, want %d states at depth %d", c.prefix, res.Stats, c.states, c.depth)
		}
	}
}

// Prefixes end in live states that follow others. Searches start from them in turn.
func TestPrefixRuns(t *testing.T) {
	sys := pingack.System
	prefixes, err := search.Prefixes(context.Background(), search.Config{System: sys, Seed: 5, Workers: 2}, 5)
	if err != nil || len(prefixes) != 5 {
		t.Fatalf("%v, %v", prefixes, err)
	}
	for _, p := range prefixes {
		// ping, deliver the ping, deliver the acknowledgement, with timers between.
		if len(p) < 3 {
			t.Errorf("prefix %v is too short", p)
		}
		c, err := replay.NewCursor(&sys, p, kernel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for !c.AtEnd() {
			if c.Steps() > 0 && c.World().Live() {
				t.Errorf("prefix %v is live after %d steps already", p, c.Steps())
			}
			if err := c.Next(); err != nil {
				t.Fatal(err)
			}
		}
		if !c.World().Live() {
			t.Errorf("prefix %v does not end in a live state", p)
		}
	}
	again, err := search.Prefixes(context.Background(), search.Config{System: sys, Seed: 5, Workers: 1}, 5)
	if err != nil || !slices.EqualFunc(again, prefixes, slices.Equal[choose.Path]) {
		t.Errorf("another number of workers made other prefixes: %v, %v", again, err)
	}
	res := run(t, search.Config{System: sys, Seed: 5, PrefixRuns: 5, Strategy: search.Faulty})
	if res.Finding == nil || !slices.ContainsFunc(prefixes, func(p choose.Path) bool {
		return len(p) < len(res.Finding.Path) && slices.Equal(p, res.Finding.Path[:len(p)])
	}) {
		t.Errorf("the finding does not start with a prefix: %+v", res.Finding)
	}
	if p := phaseOf(res, "prefixes"); p.Live < 5 {
		t.Errorf("prefixes: %+v", p)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	evaluated := 0
	counted := search.Config{System: sys, Workers: 1}
	counted.System.Properties = append(slices.Clone(sys.Properties), sim.Property{Name: "count", Always: func(*sim.View) bool {
		if evaluated++; evaluated == 10_000 {
			cancel()
		}
		return true
	}})
	if some, err := search.Prefixes(ctx, counted, 1<<20); err != context.Canceled || len(some) == 0 {
		t.Errorf("stopped in between: %d prefixes, %v", len(some), err)
	}
	never := automaton.Table{Moves: []automaton.Move{automaton.To(0, 0)}, Live: []int{5}}
	if _, err := search.Prefixes(context.Background(), search.Config{System: never.System(), WalkSteps: 10}, 2); err == nil ||
		!strings.Contains(err.Error(), "no fault-free run reached a live state") {
		t.Errorf("got %v", err)
	}
}

type (
	hello   struct{ N int }
	goodbye struct{}
	soon    struct{}
	never   struct{}
)

type talker struct {
	sim.Nop
	Heard int
}

func (s *talker) Boot(env sim.Env) {
	env.SetTimer(soon{}, time.Second)
	env.SetTimer(never{}, time.Hour)
}

func (s *talker) Timer(env sim.Env, timer any) {
	if timer == (soon{}) {
		env.StopTimer(never{})
		env.Send(1, hello{1})
		if s.Heard > 0 {
			env.Send(1, goodbye{})
		}
	}
}

func (s *talker) Receive(_ sim.Env, _ sim.NodeID, m any) { s.Heard++ }

type listener struct {
	sim.Nop
	Heard int
}

func (s *listener) Receive(sim.Env, sim.NodeID, any) { s.Heard++ }

// The action dance is never enabled, and soon always stops the timer never before it fires. Walks of two steps (ask;
// soon; deliveries of their messages) are too short to send a goodbye, and inject no faults.
func TestNeverHappened(t *testing.T) {
	sys := sim.System{
		Name: "talk", Nodes: 2, Crashes: 1, Network: netsim.Datagrams{Dup: 1},
		MayCrash: func(id sim.NodeID) bool { return id == 0 },
		New: func(id sim.NodeID) sim.Service {
			if id == 0 {
				return &talker{}
			}
			return &listener{}
		},
		Actions: []sim.AnyAction{
			sim.Action[*talker]{Name: "ask", Times: 1, Do: func(_ *talker, env sim.Env) { env.Send(0, hello{0}) }},
			sim.Action[*talker]{Name: "dance", When: func(*talker) bool { return false }, Do: func(*talker, sim.Env) {}},
		},
		Properties: []sim.Property{
			{Name: "heard", Sometimes: sim.Each(func(_ sim.NodeID, l *listener) bool { return l.Heard > 0 })},
			{Name: "heard much", Sometimes: sim.Each(func(_ sim.NodeID, l *listener) bool { return l.Heard > 9 })},
		},
	}
	for _, workers := range []int{1, 3} {
		res := run(t, search.Config{System: sys, Strategy: search.Walk, MaxPaths: 500, Workers: workers, WalkSteps: 2})
		want := []string{"action dance", "fault crash", "fault duplication", "sometimes heard much", "timer never"}
		if !slices.Equal(res.Stats.NeverHappened, want) {
			t.Errorf("%d workers: never happened: %q, want %q", workers, res.Stats.NeverHappened, want)
		}
		for _, s := range res.Stats.Sometimes {
			if (s.Property == "heard") != (s.Runs > 0 && s.Runs < 500) {
				t.Errorf("%+v", s)
			}
		}
	}
	// The prefix contains everything possible: ask, and the rest in order. Its coverage counts.
	w, err := kernel.NewWorld(&sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	whole := replay.NewRun(w)
	err = whole.Start(choose.First)
	for err == nil && len(w.Enabled()) > 0 {
		err = whole.Step(0, choose.First)
	}
	if err != nil {
		t.Fatal(err)
	}
	after := run(t, search.Config{System: sys, Strategy: search.Walk, MaxPaths: 2, Workers: 1, Prefix: whole.Path})
	if want := []string{"action dance", "fault crash", "fault duplication", "sometimes heard much", "timer never"}; !slices.Equal(after.Stats.NeverHappened, want) {
		t.Errorf("after a prefix: never happened: %q, want %q", after.Stats.NeverHappened, want)
	}
	// Everything else happens within 6 choices: the longest path is to ask, hear, say goodbye and deliver it.
	res := run(t, search.Config{System: sys, Strategy: search.Deepening, MaxDepth: 6})
	if want := []string{"action dance", "sometimes heard much", "timer never"}; !slices.Equal(res.Stats.NeverHappened, want) {
		t.Errorf("deepening: never happened: %q, want %q", res.Stats.NeverHappened, want)
	}
	if res.Stats.FaultsUsed != (sim.Limits{sim.Crashes: 1, sim.Dup: 1}) {
		t.Errorf("faults used: %+v", res.Stats.FaultsUsed)
	}
}

// Without a goal a prefix ends after some steps, not at the limit of walks.
func TestPrefixesWithoutAGoalAreShort(t *testing.T) {
	sys := sim.System{Name: "ticking", Nodes: 2, New: func(sim.NodeID) sim.Service { return &ticker{} }}
	paths, err := search.Prefixes(context.Background(), search.Config{System: sys, WalkSteps: 100_000, HandlerLimit: patient}, 8)
	if err != nil || len(paths) != 8 {
		t.Fatal(len(paths), err)
	}
	for _, p := range paths {
		if len(p) < 1 || len(p) > 200 { // a step has one choice, that of the event
			t.Errorf("a prefix of %d choices", len(p))
		}
	}
	res := run(t, search.Config{System: sys, WalkSteps: 5_000, PrefixRuns: 4, MaxDepth: 2, HandlerLimit: patient})
	for _, p := range res.Stats.Phases {
		if p.Name == "prefixes" && (p.Events == 0 || p.Events > 800) {
			t.Errorf("%d events for 4 prefixes", p.Events)
		}
	}
}

// ticker sets its timer again and again.
type ticker struct {
	sim.Nop
	N int
}

func (s *ticker) Boot(env sim.Env) { env.SetTimer("t", 1) }

func (s *ticker) Timer(env sim.Env, t any) {
	s.N = 1 - s.N
	env.SetTimer(t, 1)
}
