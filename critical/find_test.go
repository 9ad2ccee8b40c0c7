package critical_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/test/automaton"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"pgregory.net/rapid"
)

func find(t *testing.T, cfg critical.Config) *critical.Result {
	t.Helper()
	res, err := critical.Find(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func repeat(pick int32, n int) choose.Path { return slices.Repeat(choose.Path{pick}, n) }

// chain: 0 -> 1 -> ... -> n, which is live, and back to 0; from state bad also to a loop that never ends.
func chain(n, bad int) automaton.Table {
	tab := automaton.Table{Live: []int{n}}
	for s := range n {
		tab.Moves = append(tab.Moves, automaton.To(s, s+1))
	}
	tab.Moves = append(tab.Moves, automaton.To(n, 0), automaton.To(bad, n+1), automaton.To(n+1, n+2), automaton.To(n+2, n+1))
	return tab
}

// A run that is longer than a walk, but becomes live, needs no probe.
func TestLate(t *testing.T) {
	tab := automaton.Table{Live: []int{1000}}
	for s := range 1000 {
		tab.Moves = append(tab.Moves, automaton.To(s, s+1))
	}
	res := find(t, critical.Config{States: -1, System: tab.System(), Path: repeat(0, 20), WalkSteps: 100})
	if res.Case != critical.Recovered || len(res.Probes) > 0 || len(res.Live) != 1000 {
		t.Errorf("%s, probes %v, %d choices to a live state", res.Case, res.Probes, len(res.Live))
	}
}

// An expected step changes only which states are probed: none but those around it, if it is the critical one.
func TestFind_ExpectedStep(t *testing.T) {
	tab := chain(5, 3)
	cfg := critical.Config{States: -1, System: tab.System(), Path: slices.Concat(choose.Path{0, 0, 0, 1}, repeat(0, 20)),
		WalkSteps: 40, Walks: 100}
	want := find(t, cfg)
	all := []int{0, 1, 2, 4, 3, 4, 3}
	for _, c := range []struct {
		expected int
		probes   []int
	}{{4, []int{3, 4, 4}}, {3, []int{2, 3, 4, 4, 3}}, {5, []int{4, 0, 2, 3, 4, 3}}, {1, []int{0, 1, 2, 4, 3, 4, 3}}, {99, all}, {0, all}} {
		cfg.Expected = c.expected
		got := find(t, cfg)
		var probes []int
		for _, p := range got.Probes {
			probes = append(probes, p.Step)
		}
		if got.Step != 4 || got.Before != want.Before || got.After != want.After || !slices.Equal(probes, c.probes) {
			t.Errorf("step %d expected: critical step %d, before it %+v, probes after steps %v, want %v",
				c.expected, got.Step, got.Before, probes, c.probes)
		}
	}
}

// A known live run shows that a state recovers from which no walk does. A run that is not live shows nothing.
func TestFind_KnownLiveRun(t *testing.T) {
	tab := chain(400, 3) // a walk of 160 steps does not get from 3 to 400
	cfg := critical.Config{
		States: -1, System: tab.System(), Path: slices.Concat(choose.Path{0, 0, 0, 1}, repeat(0, 200)), WalkSteps: 10, Walks: 40, Expected: 4,
	}
	for _, c := range []struct {
		live choose.Path
		want critical.Case
		step int
	}{
		{nil, critical.DeadFromStart, 0}, {repeat(0, 399), critical.DeadFromStart, 0},
		{repeat(0, 400), critical.Located, 4},
	} {
		cfg.Live = c.live
		got := find(t, cfg)
		if got.Case != c.want || got.Step != c.step || got.Before.Recovered > 0 {
			t.Errorf("with a run of %d steps: %s, critical step %d, before it %+v; want %s, %d", len(c.live), got.Case, got.Step,
				got.Before, c.want, c.step)
		}
		if got.Case == critical.Located && (!slices.Equal(got.Live, c.live) || got.LiveCommon != 3) {
			t.Errorf("nearest live run of %d steps with %d in common", len(got.Live), got.LiveCommon)
		}
	}
}

// The run goes 0, 1, 2, 3 and then into the loop with step 4, event 1 of state 3, for 20 steps. The first
// state is indeterminate and recovers, and so do those after 1 and 2 steps; that after 4 does not, that
// after 3 does, with probability 1/2 per walk.
func TestExactStep(t *testing.T) {
	tab := chain(5, 3)
	cfg := critical.Config{States: -1, System: tab.System(), Path: slices.Concat(choose.Path{0, 0, 0, 1}, repeat(0, 20)), WalkSteps: 40, Walks: 100}
	res := find(t, cfg)
	if res.Case != critical.Located || res.Step != 4 || res.Choice != -1 {
		t.Fatalf("%s at step %d, choice %d; want C1 at 4, -1", res.Case, res.Step, res.Choice)
	}
	if !res.Violation() || res.OutOfEvents {
		t.Error("not a violation, or out of events")
	}
	if a := res.After; a != (critical.Probe{Step: 4, Walks: 100, Recovered: 0, Limit: 40}) {
		t.Errorf("after: %+v", a)
	}
	if b := res.Before; b.Step != 3 || b.Walks != 100 || b.Limit != 40 || b.Recovered < 30 || b.Recovered > 70 {
		t.Errorf("before: %+v, want about 50 of 100", b)
	}
	var steps []int
	for _, p := range res.Probes {
		steps = append(steps, p.Step)
	}
	// The last but one are longer walks after the step, then all walks before it.
	if want := []int{0, 1, 2, 4, 3, 4, 3}; !slices.Equal(steps, want) {
		t.Errorf("probes after steps %v, want %v", steps, want)
	}
	if long := res.Probes[5]; long != (critical.Probe{Step: 4, Walks: 12, Limit: 160}) {
		t.Errorf("longer walks: %+v", long)
	}
	// 0 0 0 and then 0 from state 3, 0 from state 4.
	if !slices.Equal(res.Live, choose.Path{0, 0, 0, 0, 0}) || res.LiveCommon != 3 {
		t.Errorf("nearest live run %v with %d steps in common", res.Live, res.LiveCommon)
	}
	// Steps 13 to 24 go round the loop.
	want := critical.Tail{From: 15, To: 24, Repeats: []critical.Repeat{
		{Event: "n0 m7", Count: 5, Changes: 5}, {Event: "n0 m8", Count: 5, Changes: 5},
	}}
	if !reflect.DeepEqual(res.Tail, want) {
		t.Errorf("tail %+v, want %+v", res.Tail, want)
	}
}

// The run is live before: state 5 is live after step 5, and the next round takes the wrong way at step 9 (5 to 0, then
// 1, 2, 3 are steps 6 to 9; the loop is entered by step 10).
func TestFind_AfterLiveState(t *testing.T) {
	tab := chain(5, 3)
	res := find(t, critical.Config{
		System: tab.System(), Path: slices.Concat(repeat(0, 9), choose.Path{1}, repeat(0, 40)), WalkSteps: 50, Walks: 20,
	})
	if res.Case != critical.Located || res.Step != 10 || res.Probes[0].Step != 6 {
		t.Errorf("%s at step %d, first probe after %d; want C1, 10, 6", res.Case, res.Step, res.Probes[0].Step)
	}
}

// The live state itself is left for the loop: the state before the critical step needs no walk to be
// recovering, and the walks from it leave it first.
func TestStraightFromLiveState(t *testing.T) {
	tab := chain(2, 2)
	res := find(t, critical.Config{System: tab.System(), Path: slices.Concat(choose.Path{0, 0, 1}, repeat(0, 30)), WalkSteps: 30, Walks: 64})
	if res.Case != critical.Located || res.Step != 3 || res.LiveCommon != 2 {
		t.Fatalf("%s at step %d with %d steps in common; want C1, 3, 2", res.Case, res.Step, res.LiveCommon)
	}
	// A walk goes to 0 or the loop with equal weights, and then to 1 and 2 for certain.
	if b := res.Before; b.Step != 2 || b.Walks != 64 || b.Recovered < 16 || b.Recovered > 48 {
		t.Errorf("before: %+v", b)
	}
	if !slices.Equal(res.Live, choose.Path{0, 0, 0, 0, 0}) {
		t.Errorf("nearest live run: %v", res.Live)
	}
}

// No live state can be reached from the first one, which is found out with longer walks twice.
func TestNeverLive(t *testing.T) {
	tab := automaton.Table{Moves: []automaton.Move{automaton.To(0, 1), automaton.To(1, 0)}, Live: []int{2}}
	res := find(t, critical.Config{States: -1, System: tab.System(), Path: repeat(0, 30), WalkSteps: 30, Walks: 64})
	if res.Case != critical.DeadFromStart || !res.Violation() || res.Step != 0 || res.Live != nil {
		t.Fatalf("got %+v", res)
	}
	want := []critical.Probe{{Walks: 64, Limit: 30}, {Walks: 16, Limit: 120}, {Walks: 8, Limit: 480}}
	if !slices.Equal(res.Probes, want) {
		t.Errorf("probes %+v, want %+v", res.Probes, want)
	}
	if len(res.Dead) != 30+120+480 {
		t.Errorf("the run has %d steps, want it lengthened by 120 and 480", len(res.Dead))
	}
}

// As before, but walks run out of events: longer ones cannot show more.
func TestNeverLiveOutOfEvents(t *testing.T) {
	tab := automaton.Table{Moves: []automaton.Move{automaton.To(0, 1)}, Live: []int{2}}
	res := find(t, critical.Config{System: tab.System(), Path: choose.Path{0}, Walks: 10})
	if res.Case != critical.DeadFromStart || !res.OutOfEvents || len(res.Probes) != 1 {
		t.Fatalf("got %+v", res)
	}
}

// The end of the run recovers, as all its states do: 1, 2, 4, ... steps from the first one are probed, as the first walk from the end,
// with this seed, does not recover.
func TestRecovers(t *testing.T) {
	tab := chain(30, 29)
	res := find(t, critical.Config{System: tab.System(), Path: repeat(0, 20), WalkSteps: 40, Walks: 10, Seed: 5})
	if res.Case != critical.Recovered || res.Violation() {
		t.Fatalf("got %+v", res)
	}
	var steps []int
	for _, p := range res.Probes {
		steps = append(steps, p.Step)
		if p.Recovered != 1 {
			t.Errorf("probe %+v, want one that ends with the first live walk", p)
		}
	}
	if want := []int{0, 1, 2, 4, 8, 16, 20}; !slices.Equal(steps, want) {
		t.Errorf("probes after steps %v, want %v", steps, want)
	}
	// A run that ends in a live state is not dead, even if the caller claims so.
	res = find(t, critical.Config{System: tab.System(), Path: repeat(0, 30)})
	if res.Case != critical.Recovered || len(res.Probes) != 0 {
		t.Errorf("live end: %+v", res)
	}
}

// Walks of 20 steps do not get through a chain of 100, but the run is not dead: when it is lengthened
// by 80 steps its end is live.
func TestShortWalks(t *testing.T) {
	tab := chain(100, 0)
	res := find(t, critical.Config{System: tab.System(), Path: repeat(0, 20), WalkSteps: 20, Walks: 10})
	if res.Case != critical.Recovered {
		t.Fatalf("got %+v", res)
	}
}

// The transition is in the last quarter of the run: it is found only after the run was continued.
func TestLateTransition(t *testing.T) {
	tab := chain(40, 30)
	res := find(t, critical.Config{States: -1, System: tab.System(), Path: slices.Concat(repeat(0, 30), choose.Path{1}, repeat(0, 9)), WalkSteps: 50, Walks: 40})
	if res.Case != critical.Located || res.Step != 31 || res.After.Limit != 200 {
		t.Errorf("%s at step %d with limit %d, want C1, 31, 200", res.Case, res.Step, res.After.Limit)
	}
}

// Step 2 draws twice: the second draw, index 1, decides.
func TestCriticalChoice(t *testing.T) {
	type svc struct {
		sim.Nop
		State int
	}
	sys := sim.System{
		Name: "draws", Nodes: 1, New: func(sim.NodeID) sim.Service { return &svc{} },
		Actions: []sim.AnyAction{
			sim.Action[*svc]{Name: "go", When: func(s *svc) bool { return s.State == 0 }, Do: func(s *svc, _ sim.Env) { s.State = 1 }},
			sim.Action[*svc]{Name: "draw", When: func(s *svc) bool { return s.State == 1 }, Do: func(s *svc, env sim.Env) {
				a, b, c := env.Choose("a", 2), env.Choose("b", 3), env.Choose("c", 2)
				if s.State = 2 + a; b == 2 {
					s.State = 9 + c
				}
			}},
			sim.Action[*svc]{Name: "on", When: func(s *svc) bool { return s.State == 2 || s.State == 3 }, Do: func(s *svc, _ sim.Env) { s.State = 4 }},
		},
		Properties: []sim.Property{{Name: "four", Eventually: sim.Each(func(_ sim.NodeID, s *svc) bool { return s.State == 4 })}},
	}
	res := find(t, critical.Config{System: sys, Path: choose.Path{0, 0, 1, 2, 0}, Walks: 50})
	if res.Case != critical.Located || res.Step != 2 || res.Choice != 1 || !res.OutOfEvents {
		t.Fatalf("%s, step %d, choice %d, want C1, 2, 1", res.Case, res.Step, res.Choice)
	}
	// The nearest live run shares the event and the first draw, but not the whole step.
	if res.LiveCommon != 1 || len(res.Live) < 3 || !slices.Equal(res.Live[:3], choose.Path{0, 0, 1}) || res.Live[3] == 2 {
		t.Errorf("nearest live run %v", res.Live)
	}
	if len(res.Tail.Repeats) != 0 {
		t.Errorf("nothing repeats, but tail is %+v", res.Tail)
	}
}

func TestBadInput(t *testing.T) {
	tab := chain(3, 1)
	for _, c := range []struct {
		cfg  critical.Config
		want string
	}{
		{critical.Config{System: tab.System(), Path: choose.Path{0, 7}}, "step 2"},
		{critical.Config{System: tab.System(), Walks: -1}, "must not be negative"},
		{critical.Config{System: tab.System(), Weights: search.Weights{Fault: 4}}, "all weights of ordinary events are 0"},
		{critical.Config{System: automaton.Table{Moves: tab.Moves}.System(), Path: choose.Path{0}}, "no Eventually property"},
		{critical.Config{System: automaton.Table{Moves: tab.Moves, Live: tab.Live, Bad: []int{2}}.System(), Path: choose.Path{0, 0}}, "step 2 of the run ends it with a finding"},
	} {
		if _, err := critical.Find(context.Background(), c.cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want an error with %q", err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := critical.Find(ctx, critical.Config{System: tab.System(), Path: slices.Concat(choose.Path{0, 1}, repeat(0, 9))}); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

// Suspects of search and results of Find do not depend on the number of workers, and agree with the table: from
// state s of the chain only the wrong way at bad is critical.
func TestSearchAndFind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "n")
		bad := rapid.IntRange(0, n-1).Draw(t, "bad")
		tab := chain(n, bad)
		var first *critical.Result
		for _, workers := range []int{1, 4} {
			c := critical.Config{System: tab.System(), WalkSteps: 80, Walks: 30, Seed: 7, Workers: workers}
			res, err := search.Run(context.Background(), search.Config{HandlerLimit: time.Minute,
				System: c.System, WalkSteps: 80, Workers: workers, MaxDepth: 3, Confirm: critical.Confirm(c),
			})
			if err != nil {
				t.Fatal(err)
			}
			if res.Verdict != search.Violation {
				t.Fatalf("got %+v, want a violation", res)
			}
			got := res.Detail.(*critical.Result)
			// Every round of the chain before takes n+1 steps.
			if got.Case != critical.Located || (got.Step-1)%(n+1) != bad {
				t.Fatalf("%s at step %d of a chain of %d, bad after %d", got.Case, got.Step, n, bad)
			}
			got.Engine = runloop.Counts{}
			if first == nil {
				first = got
			} else if !reflect.DeepEqual(got, first) {
				t.Fatalf("4 workers: %+v\n1 worker: %+v", got, first)
			}
		}
	})
}

// States 0 to 9 lead to the live state 31 or on to 10, from where a chain leads into a bad state. The transition is
// at the end of the run. The continued run violates safety, and that is the finding.
func TestLongerRunEndsOtherwise(t *testing.T) {
	tab := automaton.Table{Live: []int{31}, Bad: []int{30}}
	for i := range 30 {
		to := []int{i + 1}
		if i < 10 {
			to = append(to, 31)
		}
		tab.Moves = append(tab.Moves, automaton.To(i, to...))
	}
	confirm := critical.Confirm(critical.Config{System: tab.System(), WalkSteps: 8, Walks: 20})
	c, err := confirm(context.Background(), search.Suspect{Finding: sim.Finding{Kind: sim.Liveness}, Path: repeat(0, 20)})
	if err != nil {
		t.Fatal(err)
	}
	if !c.Violation || c.Instead == nil || c.Instead.Kind != sim.Safety || c.Instead.Steps != 30 {
		t.Errorf("got %+v, %+v", c, c.Instead)
	}
}

// counter counts its timer.
type counter struct {
	sim.Nop
	N int
}

func (c *counter) Boot(env sim.Env)         { env.SetTimer("t", time.Second) }
func (c *counter) Timer(env sim.Env, _ any) { c.N++; env.SetTimer("t", time.Second) }

// counterSystem is never live, and violates an Always property at most.
func counterSystem(most int) sim.System {
	return sim.System{Name: "counter", Nodes: 1, New: func(sim.NodeID) sim.Service { return &counter{} }, Properties: []sim.Property{
		{Name: "never", Eventually: func(*sim.View) bool { return false }},
		{Name: "small", Always: func(v *sim.View) bool { return v.Service(0).(*counter).N <= most }},
	}}
}

// A walk that ends with a finding does not prove that no live state follows; the finding is reported.
func TestFind_WalksEndWithFinding(t *testing.T) {
	_, err := critical.Find(context.Background(), critical.Config{System: counterSystem(5), Path: repeat(0, 2), Walks: 10, WalkSteps: 100})
	var ended *critical.Ended
	if !errors.As(err, &ended) || ended.Finding.Property != "small" || ended.Steps != 6 {
		t.Errorf("got %v, want property small in step 6", err)
	}
}

// A walk that would take forever ends with its context.
func TestStopInsideAWalk(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := critical.Find(ctx, critical.Config{System: counterSystem(math.MaxInt), Path: repeat(0, 2), WalkSteps: 1 << 30, Workers: 2})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}
