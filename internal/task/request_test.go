package task

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/check/walkweights"
	"github.com/macemc/macemc/internal/test/papers"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// requested returns the search for the flags, with the named ones as given.
func requested(t *testing.T, f Search, given ...string) *request {
	t.Helper()
	p := &Process{Systems: papers.All(), Program: "macemc"}
	f.Config.Seed, f.Config.Time, f.Config.HandlerLimit, f.Given = 1, time.Minute, time.Second, given
	r, err := f.request(p)
	if err = errors.Join(f.Validate(), err); err != nil {
		t.Fatal(err)
	}
	return r
}

// The faults that a run has used do not count in a search that continues it. pingack.path has lost one datagram in
// its sixth step, as many as the system allows by default. Unused faults that its header allows do count.
func TestOnwardLimits(t *testing.T) {
	const file = "../replay/testdata/pingack.path"
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
		f := Search{Subject: Subject{Limits: sim.Limits{sim.Loss: c.loss}}, From: file, Step: c.step}
		if got := requested(t, f, c.given...).options.Search.System.Limits()[sim.Loss]; got != c.want {
			t.Errorf("--step %d --loss %d (given: %v): %d losses, want %d", c.step, c.loss, c.given, got, c.want)
		}
	}
}

// A search that continues a path uses the property and the weights of the path's search, unless others are given.
func TestOnwardAsBefore(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir := filepath.Join(t.TempDir(), "out")
	const weights = "action=1,message=2,timer=3,consequence=4,fault=5"
	var out bytes.Buffer
	p := &Process{Systems: papers.All(), Program: "macemc", Stdout: &out, Stderr: &out}
	s := &Search{Subject: Subject{System: "pingack", Property: "every ping is acknowledged", Weights: weights},
		Config: search.Config{Walks: 20, Seed: 1}, Out: dir}
	if status := p.ExitStatus(t.Context(), s.Do(t.Context(), p)); status != 1 {
		t.Fatalf("exit status %d: %s", status, &out)
	}
	file := filepath.Join(dir, "error.path")
	cfg := requested(t, Search{From: file}).options.Search
	if w := cfg.Weights; walkweights.Text(w) != weights || cfg.Property != "every ping is acknowledged" {
		t.Errorf("property %q, weights %+v", cfg.Property, w)
	}
	cfg = requested(t, Search{From: file, Unbiased: true}, "unbiased").options.Search
	if cfg.Weights != (search.Weights{Action: 1, Message: 1, Timer: 1, Consequence: 1, Fault: 1}) {
		t.Errorf("with --unbiased: %+v", cfg.Weights)
	}
}

// A search has the settings of its bug unless flags override them.
func TestBugDefaults(t *testing.T) {
	steps, prefixes, weights := 0, 0, 0
	for _, e := range papers.All() {
		for _, b := range e.Bugs {
			d := b.Defaults
			cfg := requested(t, Search{Subject: Subject{System: e.Name, Bugs: []string{b.ID}}}).options.Search
			if cfg.WalkSteps != d.WalkSteps || (cfg.PrefixRuns > 0) != d.Prefix || d.Strategy != "" && string(cfg.Strategy) != d.Strategy || cfg.Strategy.Validate() != nil {
				t.Errorf("%s: walks of %d steps, %d prefixes, strategy %s; want %+v", b.ID, cfg.WalkSteps, cfg.PrefixRuns, cfg.Strategy, d)
			}
			if d.Weights.Action != 0 && cfg.Weights.Action != d.Weights.Action {
				t.Errorf("%s: weights %+v, want %+v", b.ID, cfg.Weights, d.Weights)
			}
			given := requested(t, Search{Subject: Subject{System: e.Name, Bugs: []string{b.ID}, Weights: "timer=5"},
				Config: search.Config{WalkSteps: 77, Strategy: "walk"}}).options.Search
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
