package shrink

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/test/automaton"
	"github.com/macemc/macemc/sim"
)

// counter counts the moves of its action "add", and leaves while it has counted less than 3.
type counter struct {
	sim.Nop
	N    int
	Left bool
}

// counters is dead after the third "add". "skip" changes nothing.
func counters() sim.System {
	return sim.System{
		Name: "counter", Nodes: 1, New: func(sim.NodeID) sim.Service { return &counter{} },
		Actions: []sim.AnyAction{
			sim.Action[*counter]{Name: "add", Do: func(c *counter, _ sim.Env) { c.N++ }},
			sim.Action[*counter]{Name: "skip", Do: func(*counter, sim.Env) {}},
			sim.Action[*counter]{Name: "leave", When: func(c *counter) bool { return c.N < 3 }, Do: func(c *counter, _ sim.Env) { c.Left = true }},
		},
		Properties: []sim.Property{{Name: "left", Eventually: func(v *sim.View) bool { return v.Service(0).(*counter).Left }}},
	}
}

// judgeOf returns a judge of dead runs of counters that end with "add".
func judgeOf(t *testing.T) *deadShrinker {
	t.Helper()
	cfg := &Config{Walks: critical.Config{System: counters(), WalkSteps: 300}, Dead: &critical.Result{Steps: 300}}
	w, err := kernel.NewWorld(&cfg.Walks.System, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := newDeadShrinker(cfg, &Player{Run: replay.NewRun(w)})
	if err != nil {
		t.Fatal(err)
	}
	d.ctx, d.last, d.quick = t.Context(), "action add", d.limit
	return d
}

// script returns the script of actions, one letter for each.
func (d *deadShrinker) script(t *testing.T, letters string) Script {
	t.Helper()
	var path choose.Path
	for _, c := range letters {
		path = append(path, int32(slices.Index([]rune("asl"), c)))
	}
	run, err := d.player.Follow(path)
	if err != nil {
		t.Fatal(err)
	}
	return run.Script
}

// A script that is dead before its end is cut after the step from which it is dead, if that has the same handler. A script
// that recovers is refused.
func TestJudge_EarlierCriticalStep(t *testing.T) {
	for _, c := range []struct {
		letters string
		steps   int // of the run; 0 means refused
	}{{"aaa", 3}, {"saasa", 5}, {"aaaaaaa", 3}, {"asasassaaa", 5}, {"aa", 0}, {"aaas", 0}, {"sssa", 0}} {
		d := judgeOf(t)
		run, ok, err := d.judge(t.Context(), d.script(t, c.letters))
		if err != nil || ok != (c.steps > 0) || ok && len(run.Steps) != c.steps {
			t.Errorf("%s: %v with %d steps, %v; want %d steps", c.letters, ok, len(run.Steps), err, c.steps)
		}
	}
}

// No walks are made from the final state of a candidate that was found dead.
func TestJudge_KnownDeadState(t *testing.T) {
	d := judgeOf(t)
	if _, ok, err := d.judge(t.Context(), d.script(t, "saasa")); !ok || err != nil {
		t.Fatal(ok, err)
	}
	d.verified = 0 // smaller candidates need not be verified
	before := d.steps
	if run, ok, err := d.judge(t.Context(), d.script(t, "aaa")); !ok || err != nil || len(run.Steps) != 3 || d.steps != before {
		t.Errorf("%v, %v, %d steps, %d of walks", ok, err, len(run.Steps), d.steps-before)
	}
}

// The critical step of the original run is the first one after which no known recovery of another run recovers.
func TestDeadShrinker_LateStep(t *testing.T) {
	for _, c := range []struct {
		recoveries []string
		run        string
		step, want int
	}{
		{nil, "aaaaa", 1, 1},
		{[]string{"l"}, "aaaaa", 1, 3},
		{[]string{"l"}, "aaaaa", 2, 3},
		{[]string{"l"}, "aaaaa", 3, 3},
		{[]string{"l"}, "ssssssasasssass", 1, 13},
		{[]string{"al"}, "aaaaa", 1, 2}, // it counts once more
		{[]string{"al", "l"}, "aaaaa", 1, 3},
		{[]string{"l"}, "ass", 1, 1}, // recovers to its end
	} {
		d := judgeOf(t)
		for _, r := range c.recoveries {
			d.recoveries = append(d.recoveries, d.script(t, r))
		}
		if got := d.lateStep(d.script(t, c.run), c.step); got != c.want {
			t.Errorf("%s from step %d with recoveries %q: %d, want %d", c.run, c.step, c.recoveries, got, c.want)
		}
	}
}

// Recoveries that the original run takes as well are not used against smaller ones.
func TestDeadShrinker_Learn(t *testing.T) {
	d := judgeOf(t)
	live := choose.Path{0, 2}
	d.cause = d.script(t, "aa")
	if d.learn(live, 1); len(d.recoveries) != 0 {
		t.Errorf("%d recoveries of a run that recovers itself", len(d.recoveries))
	}
	d.cause = d.script(t, "aaa")
	if d.learn(live, 1); len(d.recoveries) != 1 {
		t.Errorf("%d recoveries, want 1", len(d.recoveries))
	}
}

// After a candidate turned out not to be dead, shrinking continues from the last one that is, or from the confirmed one.
func TestDeadShrinker_Back(t *testing.T) {
	for dead := range 5 {
		d := judgeOf(t)
		d.base = d.script(t, "aaaaaaa")
		r := &reducer{}
		for i := range 4 {
			letters := "aaaaaa"[:6-i]
			if i >= dead {
				letters = "aa"
			}
			r.accepted = append(r.accepted, d.script(t, letters))
		}
		r.best = r.accepted[3]
		if d.back(r); len(r.accepted) != dead || len(r.best.Steps) != 7-dead {
			t.Errorf("%d are dead: back to %d steps, %d accepted", dead, len(r.best.Steps), len(r.accepted))
		}
	}
}

// No script is confirmed that is larger than the original one, whose critical step the configuration has.
func TestDeadShrinker_ConfirmsNothingLarger(t *testing.T) {
	for critical := 3; critical <= 6; critical++ {
		d := judgeOf(t)
		d.cfg.Dead.Step = critical
		res, err := d.confirm(t.Context(), d.script(t, "asasa"))
		if err != nil || (res != nil) != (critical >= 5) || res != nil && res.Dead.Step != 5 {
			t.Errorf("5 steps in place of %d: %+v, %v", critical, res, err)
		}
	}
}

// A script that ends in a state from which a walk recovered is refused without walks.
func TestJudge_RemembersRecoveries(t *testing.T) {
	d := judgeOf(t)
	for i, letters := range []string{"aa", "sasa"} {
		before := d.steps
		if _, ok, err := d.judge(t.Context(), d.script(t, letters)); ok || err != nil || (d.steps > before) != (i == 0) {
			t.Errorf("%s: accepted %v, %v, %d steps of walks", letters, ok, err, d.steps-before)
		}
	}
}

// No script is confirmed whose critical step has another handler.
func TestDeadShrinker_ConfirmsTheHandler(t *testing.T) {
	for handler, want := range map[string]bool{"action add": true, "action skip": false} {
		d := judgeOf(t)
		d.cfg.Dead.Step, d.last = 4, handler
		if res, err := d.confirm(t.Context(), d.script(t, "aaas")); err != nil || (res != nil) != want {
			t.Errorf("%s: %+v, %v; want a result: %v", handler, res, err, want)
		}
	}
}

// trapHill has two ways to state 9, which is dead: one of 10 steps, in which none can be left out, and one of 8 others.
// Both end with move m9.
var trapHill = automaton.Table{
	Moves: append(slices.Clone(hill.Moves), automaton.To(9, 9), automaton.To(8, 20)),
	Live:  []int{20},
}

// A restart replaces a dead run at a local minimum by a smaller one with other steps.
func TestDeadShrinker_Restart(t *testing.T) {
	walks := critical.Config{System: trapHill.System(), WalkSteps: 300}
	cfg := &Config{Walks: walks, Dead: &critical.Result{}, MaxSteps: 500_000, Finding: sim.Finding{Kind: sim.Liveness, Property: "live"}}
	w, err := kernel.NewWorld(&cfg.Walks.System, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := newDeadShrinker(cfg, &Player{Run: replay.NewRun(w)})
	if err != nil {
		t.Fatal(err)
	}
	d.ctx, d.last, d.quick = t.Context(), "action m9", leastWalk
	run, err := d.player.Follow(make(choose.Path, 10))
	if err != nil {
		t.Fatal(err)
	}
	never := func() bool { return false }
	r := &reducer{best: run.Script, judge: d.judge, report: func(*reducer) {}, effort: effort{spent: never, halfSpent: never}}
	if r.dropSingle(t.Context()); len(r.best.Steps) != 10 {
		t.Fatalf("%d steps, want a local minimum of 10", len(r.best.Steps))
	}
	if err := d.restart(t.Context(), r); err != nil || len(r.best.Steps) != 8 || r.best.last() != "action m9" || r.over {
		t.Errorf("%d steps, the last one %s, %v", len(r.best.Steps), r.best.last(), err)
	}
	if !d.restarted {
		t.Error("it may restart again")
	}
}

// More time is kept for confirming the result if walks are slow.
func TestReserve(t *testing.T) {
	for _, c := range []struct{ took, want time.Duration }{
		{0, time.Second}, {100 * time.Millisecond, 1500 * time.Millisecond}, {time.Second, 2500 * time.Millisecond},
	} {
		if got := reserve(5*time.Second, c.took); got != c.want {
			t.Errorf("walks took %v: %v of 5s, want %v", c.took, got, c.want)
		}
	}
}

// A run that ends with its critical step is replaced by one that does, too, whether its continuations end or not.
func TestRun_NoLongerThanTheOriginal(t *testing.T) {
	for name, last := range map[string]automaton.Move{"all continuations end": automaton.To(4, 5), "none ends": automaton.To(4, 3)} {
		tab := automaton.Table{Live: []int{2}, Moves: []automaton.Move{
			automaton.To(0, 1), automaton.To(1, 0), automaton.To(1, 2), automaton.To(1, 0, 3), automaton.To(2, 0), automaton.To(3, 4), last,
		}}
		cfg := critical.Config{System: tab.System(), WalkSteps: 300, Walks: 50, Workers: 1, Path: choose.Path{0, 0, 0, 2, 1}}
		dead, err := critical.Find(t.Context(), cfg)
		if err != nil || dead.Case != critical.Located || dead.Step != 4 || dead.Steps != 4 {
			t.Fatalf("%s: %+v, %v", name, dead, err)
		}
		r, err := Run(t.Context(), Config{Walks: cfg, Path: cfg.Path, Dead: dead, Finding: sim.Finding{Kind: sim.Liveness, Property: "live"}})
		if err != nil || r.Steps != 2 || r.Dead.Step != 2 || !r.Minimal {
			t.Errorf("%s: %+v, %v; want 2 steps", name, r, err)
		}
	}
}

// swollen is a counter with a state that is small up to its critical step and large in the tail.
type swollen struct {
	counter
	Tail []byte
}

// The budget of a dead run depends on the size of its critical state, not of its last one.
func TestRun_MeasuresTheCriticalState(t *testing.T) {
	sys := counters()
	sys.New = func(sim.NodeID) sim.Service { return &swollen{} }
	sys.Actions = []sim.AnyAction{
		sim.Action[*swollen]{Name: "add", Do: func(s *swollen, _ sim.Env) {
			if s.N++; s.N > 5 {
				s.Tail = append(s.Tail, make([]byte, 4000)...)
			}
		}},
		sim.Action[*swollen]{Name: "leave", When: func(s *swollen) bool { return s.N < 3 }, Do: func(s *swollen, _ sim.Env) { s.Left = true }},
	}
	sys.Properties[0].Eventually = func(v *sim.View) bool { return v.Service(0).(*swollen).Left }
	cfg := critical.Config{System: sys, WalkSteps: 300, Walks: 20, Workers: 1, Path: make(choose.Path, 300), States: -1}
	dead, err := critical.Find(t.Context(), cfg)
	if err != nil || dead.Case != critical.Located || dead.Step != 3 {
		t.Fatalf("%+v, %v", dead, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	shrinkIt := Config{Walks: cfg, Path: cfg.Path, Dead: dead, Finding: sim.Finding{Kind: sim.Liveness, Property: "left"}}
	w, err := kernel.NewWorld(&sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	shrinkIt.Progress = func(Progress) { cancel() }
	if _, err := shrinkDead(ctx, &shrinkIt, &Player{Run: replay.NewRun(w)}); err != nil || shrinkIt.MaxSteps != leastWork/leastSize {
		t.Errorf("a budget of %d steps, %v; want %d", shrinkIt.MaxSteps, err, leastWork/leastSize)
	}
}
