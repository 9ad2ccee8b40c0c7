package stats_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/internal/stats"
	"github.com/macemc/macemc/internal/test/golden"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/randtree"
	"github.com/macemc/macemc/systems/spec"
)

func measure(t testing.TB, cfg stats.Config) *stats.Result {
	t.Helper()
	cfg.HandlerLimit = time.Minute
	r, err := stats.Measure(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// climber takes steps up by an action until it is at the top. A crash takes it back to the ground.
type climber struct {
	sim.Nop
	At int
}

func (c *climber) Boot(env sim.Env)         { env.SetTimer(struct{}{}, time.Second) }
func (c *climber) Timer(env sim.Env, _ any) { env.SetTimer(struct{}{}, time.Second) }

func climbing(top int) sim.System {
	return sim.System{
		Name: "climber", Nodes: 1, Timing: sim.AnyOrder, New: func(sim.NodeID) sim.Service { return &climber{} },
		Actions: []sim.AnyAction{sim.Action[*climber]{Name: "up",
			When: func(c *climber) bool { return c.At < 100 }, Do: func(c *climber, _ sim.Env) { c.At++ }}},
		Properties: []sim.Property{{Name: "at the top", Eventually: func(v *sim.View) bool {
			c, up := v.Service(0).(*climber)
			return up && c.At >= top
		}}},
	}
}

// The timer, which changes nothing, is drawn with probability w/(1+w). Until the 3rd step up there are 3
// of 1+w draws on average, and their number has a negative binomial distribution: with equal weights the
// third step up comes within n steps with probability 1 - (1 + n + n(n-1)/2) / 2^n, which is 1/2 for n=5
// (1 - 16/32) and 0.945 for n=9 (1 - 46/512; 0.91) or n=10 (1 - 56/1024): p90 is 9.
func TestKnownDistribution(t *testing.T) {
	r := measure(t, stats.Config{System: climbing(3), Walks: 20_000})
	if len(r.Distributions) != 2 || r.FaultsStruck != 0 {
		t.Fatalf("%d distributions, %g faults", len(r.Distributions), r.FaultsStruck)
	}
	// Actions 40, timers 1: 3 steps with probability (40/41)^3 = 0.9286, at most 4 with that times 1+3/41 = 0.9965.
	biased, unbiased := &r.Distributions[0], &r.Distributions[1]
	for _, c := range []struct {
		d    *stats.Distribution
		n    int
		want float64
	}{
		{biased, 3, 0.9286}, {biased, 4, 0.9965},
		{unbiased, 3, 1. / 8}, {unbiased, 4, 5. / 16}, {unbiased, 5, 0.5}, {unbiased, 9, 1 - 46./512},
	} {
		within := 0
		for _, n := range c.d.Counts {
			if n.Steps <= c.n {
				within += n.Walks
			}
		}
		// Six standard deviations of a share of 20,000.
		if got := float64(within) / float64(c.d.Walks); math.Abs(got-c.want) > 6*math.Sqrt(c.want*(1-c.want)/20_000) {
			t.Errorf("%s: %.4f within %d steps, want %.4f", c.d.Name, got, c.n, c.want)
		}
	}
	if n, ok := biased.Quantile(0.9); n != 3 || !ok || biased.Counts[0].Steps != 3 {
		t.Errorf("biased p90 %d", n)
	}
	if n, ok := unbiased.Quantile(0.9); n != 9 || !ok {
		t.Errorf("unbiased p90 %d", n)
	}
}

// Walks that are too long do not count as live, and percentiles that lie among them are unknown: of the
// unbiased ones 5/16 become live within 4 steps.
func TestNotLive(t *testing.T) {
	r := measure(t, stats.Config{System: climbing(3), Walks: 20_000, WalkSteps: 4})
	d := &r.Distributions[1]
	if got := d.NotLive(); math.Abs(got-11./16) > 0.02 || d.MaxSteps != 4 || d.Found != 0 {
		t.Errorf("%g not live, longest %d, %d found", got, d.MaxSteps, d.Found)
	}
	if _, ok := d.Quantile(0.5); ok || d.Percentiles[0].P != 50 || d.Percentiles[0].Steps != nil {
		t.Errorf("p50 %+v", d.Percentiles[0])
	}
	if n, ok := d.Quantile(0.25); !ok || n != 4 {
		t.Errorf("p25 %d", n)
	}
}

// A crash in half of the runs, each of which begins with the same steps for both kinds of walks.
func TestAfterFaults(t *testing.T) {
	sys := climbing(100)
	sys.Crashes = 1
	r := measure(t, stats.Config{System: sys, Walks: 200, WalkSteps: 10_000})
	if len(r.Distributions) != 4 || r.FaultsStruck <= 0 || r.FaultsStruck > 1 {
		t.Fatalf("%d distributions, %g faults on average", len(r.Distributions), r.FaultsStruck)
	}
	for i, d := range r.Distributions {
		if d.Live != 200 || d.Faults != (i >= 2) {
			t.Errorf("%+v", d)
		}
	}
	// From the ground it is 100 steps up at least; faulty parts have at most 60 steps.
	if d := &r.Distributions[0]; d.Counts[0].Steps < 100 {
		t.Errorf("live after %d steps", d.Counts[0].Steps)
	}
	if d := &r.Distributions[2]; d.Counts[0].Steps < 40 || d.Counts[0].Steps >= 100 {
		t.Errorf("after faults live after %d steps", d.Counts[0].Steps)
	}
}

// A property that fails, or a failed assertion, ends a walk and is counted.
func TestFindings(t *testing.T) {
	sys := climbing(3)
	sys.Properties = append(sys.Properties, sim.Property{Name: "low",
		Always: sim.Each(func(_ sim.NodeID, c *climber) bool { return c.At < 2 })})
	d := measure(t, stats.Config{System: sys, Walks: 10}).Distributions[0]
	if d.Found != 10 || d.Live != 0 || d.NotLive() != 1 {
		t.Errorf("%+v", d)
	}
}

// The same for any number of workers, and twice.
func TestWorkersDoNotMatter(t *testing.T) {
	e := randtree.Entry()
	sys, err := e.New(spec.Config{Nodes: 3})
	if err != nil {
		t.Fatal(err)
	}
	var first string
	for _, workers := range []int{1, 3, 3} {
		r := measure(t, stats.Config{System: sys, Walks: 100, Workers: workers, Seed: 7})
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = string(b)
		} else if string(b) != first {
			t.Errorf("%d workers:\n%s\n%s", workers, b, first)
		}
	}
	if r := measure(t, stats.Config{System: sys, Walks: 100, Seed: 8}); r.Distributions[0].Counts[0] == (stats.Count{}) {
		t.Error("no counts")
	}
}

// The claim of biased walks: with 8 nodes and faults they become live in far fewer steps.
func TestBiasHelps(t *testing.T) {
	e := randtree.Entry()
	sys, err := e.New(spec.Config{Nodes: 8})
	if err != nil {
		t.Fatal(err)
	}
	d := measure(t, stats.Config{System: sys, Walks: 100}).Distributions
	for i := 0; i < 4; i += 2 {
		biased, ok := d[i].Quantile(0.9)
		equal, ok2 := d[i+1].Quantile(0.9)
		if !ok || !ok2 || 5*biased > equal {
			t.Errorf("%s: p90 %d, %s: %d", d[i].Title(), biased, d[i+1].Title(), equal)
		}
	}
}

// Quantile is nearest rank, over all walks.
func TestQuantile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps := rapid.SliceOfN(rapid.IntRange(0, 20), 0, 200).Draw(t, "steps")
		missing := rapid.IntRange(0, 50).Draw(t, "not live")
		d := stats.Distribution{Walks: len(steps) + missing}
		slices.Sort(steps)
		for _, s := range steps {
			if n := len(d.Counts); n > 0 && d.Counts[n-1].Steps == s {
				d.Counts[n-1].Walks++
			} else {
				d.Counts = append(d.Counts, stats.Count{Steps: s, Walks: 1})
			}
		}
		for percent := 1; percent <= 100; percent++ {
			rank := max(1, (percent*d.Walks+99)/100)
			n, ok := d.Quantile(float64(percent) / 100)
			if ok != (rank <= len(steps)) || ok && n != steps[rank-1] {
				t.Fatalf("p%d of %v and %d: %d, %v", percent, steps, missing, n, ok)
			}
		}
	})
}

// The share of 7 of 100 walks is those 7, though 0.07 times 100 is a little more than 7 in floating point.
func TestQuantileIsNotRoundedUp(t *testing.T) {
	d := stats.Distribution{Walks: 100}
	for n := range 100 {
		d.Counts = append(d.Counts, stats.Count{Steps: n + 1, Walks: 1})
	}
	if n, ok := d.Quantile(0.07); n != 7 || !ok {
		t.Errorf("got %d", n)
	}
}

// When the first state is live, a walk leaves it before it counts.
func TestFirstStateIsLive(t *testing.T) {
	sys := climbing(3)
	sys.Properties[0].Eventually = func(v *sim.View) bool { n := v.Service(0).(*climber).At; return n == 0 || n >= 3 }
	r := measure(t, stats.Config{System: sys, Walks: 100})
	for _, d := range r.Distributions {
		if d.Live != 100 || d.Counts[0].Steps < 3 {
			t.Errorf("%s: %d live, the first after %d steps, want 3 at least", d.Name, d.Live, d.Counts[0].Steps)
		}
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := stats.Measure(ctx, stats.Config{System: climbing(3)})
	if err != nil || !r.Interrupted || r.Distributions[0].Walks != 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	var b bytes.Buffer
	if err := r.SVG(&b); err != nil {
		t.Fatal(err)
	}
	if err := r.Text(&b); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "NaN") {
		t.Error(b.String())
	}
}

// A handler that does not return is given up.
func TestStuckHandler(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	sys := climbing(3)
	sys.Actions = []sim.AnyAction{sim.Action[*climber]{Name: "wait", Do: func(*climber, sim.Env) { <-release }}}
	_, err := stats.Measure(t.Context(), stats.Config{System: sys, HandlerLimit: 50 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "has not returned for 50ms") {
		t.Error(err)
	}
}

func TestBadConfig(t *testing.T) {
	unproperly := climbing(3)
	unproperly.Properties = nil
	for _, c := range []struct {
		cfg  stats.Config
		want string
	}{
		{stats.Config{System: unproperly}, `system "climber" has no liveness property`},
		{stats.Config{System: climbing(3), Walks: -1}, "Walks is -1"},
		{stats.Config{System: climbing(3), WalkSteps: -1}, "WalkSteps is -1"},
		{stats.Config{System: climbing(3), Workers: 1 << 20}, "Workers is 1048576"},
	} {
		if _, err := stats.Measure(t.Context(), c.cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// The plot and the table of a result made by hand.
func TestOutput(t *testing.T) {
	p := func(p, n int) stats.Percentile { return stats.Percentile{P: p, Steps: &n} }
	r := &stats.Result{
		System: "a<b", Bugs: []string{"X1"}, Nodes: 1, WalkSteps: 5000, FaultsStruck: 1.25,
		Distributions: []stats.Distribution{
			{Name: "biased", Weights: search.DefaultWeights(), Walks: 4, Live: 4, MaxSteps: 40,
				Percentiles: []stats.Percentile{p(50, 20), p(90, 40), p(99, 40)}, Counts: []stats.Count{{10, 1}, {20, 2}, {40, 1}}},
			{Name: "unbiased", Faults: true, Walks: 4, Live: 2, Found: 1, MaxSteps: 1234,
				Percentiles: []stats.Percentile{p(50, 1234), {P: 90}, {P: 99}}, Counts: []stats.Count{{0, 1}, {1234, 1}}},
		},
	}
	var svg, text bytes.Buffer
	if err := r.SVG(&svg); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "plot.svg", svg.Bytes())
	if err := r.Text(&text); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "table.txt", text.Bytes())
}
