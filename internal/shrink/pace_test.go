package shrink

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/sim"
)

// ticks is a system whose only node counts to 20. ticked is called in each state.
func ticks(ticked func()) sim.System {
	return sim.System{
		Name: "ticks", Nodes: 1, New: func(sim.NodeID) sim.Service { return &counter{} },
		Actions: []sim.AnyAction{
			sim.Action[*counter]{Name: "add", Do: func(c *counter, _ sim.Env) { c.N++ }},
			sim.Action[*counter]{Name: "skip", Do: func(*counter, sim.Env) {}},
		},
		Properties: []sim.Property{{Name: "safe", Always: func(v *sim.View) bool {
			ticked()
			return v.Service(0).(*counter).N < 20
		}}},
	}
}

// A candidate ends with the step during which the context ends, whatever tries it.
func TestRun_EndsBetweenSteps(t *testing.T) {
	path := slices.Concat(make(choose.Path, 19), slices.Repeat(choose.Path{1}, 40), make(choose.Path, 1))
	for _, states := range []int{75, 200, 1_000, 5_000} {
		ctx, cancel := context.WithCancel(t.Context())
		seen, most := 0, 0
		sys := ticks(func() {
			if seen++; seen == states {
				cancel()
			}
		})
		r, err := Run(ctx, Config{
			Walks: critical.Config{System: sys}, Path: path, Finding: sim.Finding{Kind: sim.Safety, Property: "safe"},
			Progress: func(p Progress) { most = p.Steps },
		})
		if err != nil {
			t.Fatal(err)
		}
		// The best run is executed once more. A state is seen twice if its step violates, once more by each restart.
		if after := seen - states; after > most+5 {
			t.Errorf("cancelled in state %d: %d states followed, of a best run of %d steps", states, after, most)
		}
		if r.Minimal && r.Steps > 20 {
			t.Errorf("cancelled in state %d: a run of %d steps is called minimal", states, r.Steps)
		}
		cancel()
	}
}

// The run itself ends between steps, too.
func TestRun_EndsInOriginal(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	seen := 0
	sys := ticks(func() {
		if seen++; seen == 7 {
			cancel()
		}
	})
	finding := sim.Finding{Kind: sim.Safety, Property: "safe"}
	if _, err := Run(ctx, Config{Walks: critical.Config{System: sys}, Path: make(choose.Path, 20), Finding: finding}); err != ErrEnded || seen != 7 {
		t.Errorf("%v in state %d, want %v in state 7", err, seen, ErrEnded)
	}
}

// A candidate fits if it and the executions of the result end in time, by the time of the steps so far.
func TestPace_Fits(t *testing.T) {
	const second = time.Second
	for _, c := range []struct {
		left            time.Duration // after 10 steps in 1,000 s
		repeated, steps int
		want            bool
	}{
		{10_000 * second, 0, 80, true},
		{10_000 * second, 0, 120, false},
		{10_000 * second, 3, 80, false}, // 60 steps for the result
		{10_000 * second, 3, 30, true},
		{50 * second, 0, 1, false},
	} {
		ctx, cancel := budget.WithTimeout(t.Context(), c.left)
		p := &pace{player: new(Player), executed: func() int { return 10 }, repeated: c.repeated,
			clock: budget.Now() - 1000*second, processor: budget.ProcessTime()}
		s, best := Script{Steps: make([]Step, c.steps)}, Script{Steps: make([]Step, 20)}
		if got := p.fits(ctx, &s, &best); got != c.want {
			t.Errorf("%v left, %d steps, the result %d times: %v", c.left, c.steps, c.repeated, got)
		}
		before, end := p.before(ctx, &best)
		at, _ := budget.Deadline(before)
		if want := c.left - time.Duration(c.repeated)*2000*second; at-budget.Now() > want || at-budget.Now() < want-100*second {
			t.Errorf("%v left: restarts end in %v, want %v", c.left, at-budget.Now(), want)
		}
		end()
		cancel()
	}
	p := newPace(new(Player), func() int { return 10 }, 3)
	if s := (Script{Steps: make([]Step, 1000)}); !p.fits(t.Context(), &s, &s) {
		t.Error("without a limit a candidate does not fit")
	}
}

// Candidates that would not end in time are not tried, and the result says so.
func TestRun_NoTimeForCandidates(t *testing.T) {
	path := slices.Concat(make(choose.Path, 19), slices.Repeat(choose.Path{1}, 40), make(choose.Path, 1))
	ctx, cancel := budget.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	r, err := Run(ctx, Config{
		Walks: critical.Config{System: ticks(func() {})}, Path: path, Finding: sim.Finding{Kind: sim.Safety, Property: "safe"},
		Repeated: 1 << 40, // takes more than an hour at any speed
	})
	if err != nil || r.Executed != len(path) || r.Left == 0 || !r.Over || r.Minimal || r.Steps != len(path) {
		t.Errorf("%+v, %v", r, err)
	}
}
