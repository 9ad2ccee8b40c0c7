package cli

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/macemc/macemc/check"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/systems"
)

// requested is the search that flags ask for, of which those named were given.
func requested(t *testing.T, f searchFlags, args []string, given ...string) *request {
	t.Helper()
	a := &app{systems: systems.All(), program: "macemc"}
	f.seed, f.time, f.handlerLimit = 1, time.Minute, time.Second
	changed := func(name string) bool { return slices.Contains(given, name) }
	name, err := a.resume(&f, args, changed)
	if err != nil {
		t.Fatal(err)
	}
	r, err := a.request(&f, name, changed)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The faults that a run has used do not count in a search onward from it: pingack.path has lost one datagram in its
// sixth step, as many as the system allows by itself. Those that it was only allowed do count.
func TestOnwardLimits(t *testing.T) {
	file := testdata(t, "pingack.path")
	for _, c := range []struct {
		step  int
		loss  int
		given []string
		want  int
	}{
		{6, 0, []string{"from", "step"}, 2},
		{0, 0, nil, 2},
		{0, 0, []string{"loss"}, 1},
		{0, 3, []string{"loss"}, 4},
		{5, 0, []string{"from", "step"}, 1},
		{5, 3, []string{"from", "step", "loss"}, 3},
	} {
		f := searchFlags{from: file, step: c.step}
		f.limits.Loss = c.loss
		if got := requested(t, f, nil, c.given...).options.Search.System.Limits().Loss; got != c.want {
			t.Errorf("--step %d --loss %d (given: %v): %d losses, want %d", c.step, c.loss, c.given, got, c.want)
		}
	}
}

// A search onward goes on with the property and the weights of the search that the path is of, unless others are given.
func TestOnwardAsBefore(t *testing.T) {
	t.Chdir(t.TempDir())
	const weights = "action=1,message=2,timer=3,consequence=4,fault=5"
	if _, stderr, status := run(t, "search", "pingack", "--property", "every ping is acknowledged", "--weights", weights, "--walks", "20", "--out", "out"); status != 1 {
		t.Fatalf("exit status %d: %s", status, stderr)
	}
	file := filepath.Join("out", "error.path")
	cfg := requested(t, searchFlags{from: file}, nil).options.Search
	if w := cfg.Weights; check.WeightsText(w) != weights || cfg.Property != "every ping is acknowledged" {
		t.Errorf("property %q, weights %+v", cfg.Property, w)
	}
	cfg = requested(t, searchFlags{from: file, unbiased: true}, nil, "unbiased").options.Search
	if cfg.Weights != (search.Weights{Action: 1, Message: 1, Timer: 1, Consequence: 1, Fault: 1}) {
		t.Errorf("with --unbiased: %+v", cfg.Weights)
	}
}

// What a bug asks of its search is what the search gets, unless flags say otherwise.
func TestBugDefaults(t *testing.T) {
	steps, prefixes, weights := 0, 0, 0
	for _, e := range systems.All() {
		for _, b := range e.Bugs {
			d := b.Defaults
			cfg := requested(t, searchFlags{bugs: []string{b.ID}}, []string{e.Name}).options.Search
			if cfg.WalkSteps != d.WalkSteps || (cfg.PrefixRuns > 0) != d.Prefix || d.Strategy != "" && string(cfg.Strategy) != string(d.Strategy) {
				t.Errorf("%s: walks of %d steps, %d prefixes, strategy %s; want %+v", b.ID, cfg.WalkSteps, cfg.PrefixRuns, cfg.Strategy, d)
			}
			if d.Weights.Action != 0 && cfg.Weights.Action != d.Weights.Action {
				t.Errorf("%s: weights %+v, want %+v", b.ID, cfg.Weights, d.Weights)
			}
			given := requested(t, searchFlags{bugs: []string{b.ID}, walkSteps: 77, strategy: "walk", weights: "timer=5"}, []string{e.Name}).options.Search
			if given.WalkSteps != 77 || given.Strategy != "walk" || given.Weights.Timer != 5 {
				t.Errorf("%s: flags have no precedence: %+v", b.ID, given)
			}
			steps, prefixes, weights = steps+d.WalkSteps, prefixes+cfg.PrefixRuns, weights+d.Weights.Action
		}
	}
	if steps == 0 || prefixes == 0 || weights == 0 {
		t.Errorf("no bug asks for walks (%d), prefixes (%d) or weights (%d), so nothing is tested", steps, prefixes, weights)
	}
}
