package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/check/outfolder"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// tired returns a system of one node that acts while may returns true, and is never live.
func tired(may func() bool, do func()) sim.System {
	return sim.System{
		Name: "tired", Nodes: 1, New: func(sim.NodeID) sim.Service { return new(sim.Nop) },
		Actions: []sim.AnyAction{sim.Action[*sim.Nop]{
			Name: "act", When: func(*sim.Nop) bool { return may() }, Do: func(*sim.Nop, sim.Env) { do() },
		}},
		Properties: []sim.Property{{Name: "rests", Eventually: func(*sim.View) bool { return false }}},
	}
}

// A suspect with a path that does not replay is nondeterminism, not an error of the search.
func TestConfirm_PathThatCannotBeFollowed(t *testing.T) {
	calls := 0
	o := Options{Dir: filepath.Join(t.TempDir(), "out"), Search: search.Config{
		System:   tired(func() bool { return calls < 10 }, func() { calls++ }),
		Strategy: search.Walk, Engine: runloop.ReplayEngine, WalkSteps: 10, MaxPaths: 1, Workers: 1,
	}}
	r, err := Run(t.Context(), o)
	if err != nil || r.Verdict != search.Violation || r.Kind != sim.Nondeterminism || !strings.Contains(r.Message, "does not recur") {
		t.Fatalf("got %v, %+v; want a finding of nondeterminism", err, r)
	}
	if _, err := os.Stat(r.PathFile); err != nil {
		t.Error(err)
	}
}

// The path file of a finding with a run that cannot be described contains the steps that can be replayed.
func TestConclude_RunThatCannotBeDescribed(t *testing.T) {
	o := Options{Dir: filepath.Join(t.TempDir(), "out"), NoShrink: true}
	o.Search.System = tired(func() bool { return true }, func() {})
	c := &checker{Options: o, sys: o.Search.System}
	c.suspectFile = &suspectFile{c: c}
	r, err := c.conclude(t.Context(), &search.Result{
		Verdict: search.Violation,
		Finding: &search.Suspect{Finding: sim.Finding{Kind: sim.Nondeterminism, Node: -1, Message: "two executions differ"},
			Path: choose.Path{0, 0, 7}, Steps: 3},
	})
	if err == nil || !strings.Contains(err.Error(), "the run differs again when repeated") {
		t.Errorf("got error %v; want that the run differs", err)
	}
	f, err := os.Open(r.PathFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	path, err := pathfile.Parse(f)
	if err != nil || len(path.Steps) != 2 || path.Header.Finding != string(sim.Nondeterminism) {
		t.Errorf("got %+v, %v; want two steps of a nondeterminism", path, err)
	}
}

// A path of nondeterminism that does not replay does not prove that the file or the settings are wrong.
func TestLoad_NondeterminismThatCannotBeFollowed(t *testing.T) {
	for finding, status := range map[sim.FindingKind]int{sim.Nondeterminism: exitcode.Inconclusive, sim.Safety: exitcode.Usage} {
		may := true
		sys := tired(func() bool { return may }, func() {})
		f, err := replay.WriteFile(&sys, pathfile.Header{Finding: string(finding)}, choose.Path{0, 0})
		if err != nil {
			t.Fatal(err)
		}
		text, err := content(f)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(t.TempDir(), outfolder.ErrorPath)
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		may = false
		_, err = LoadFor(t.Context(), name, &sys, nil)
		differs := err != nil && strings.Contains(err.Error(), "executions of the path differ")
		if got := exitcode.OfError(t.Context(), err); got != status || differs != (finding == sim.Nondeterminism) {
			t.Errorf("%s: got status %d, %v; want status %d", finding, got, err, status)
		}
	}
}

// The last step of a suspected divergence may return here, after choices that the file lacks. The steps before it are loaded, and no other
// violation is looked for.
func TestLoad_DivergenceThatReturns(t *testing.T) {
	sys := tired(func() bool { return true }, func() {})
	sys.Actions = []sim.AnyAction{sim.Action[*sim.Nop]{Name: "act", Do: func(_ *sim.Nop, env sim.Env) { env.Choose("card", 3) }}}
	for _, c := range []struct {
		finding sim.FindingKind
		step    int // whose pick is missing
		left    bool
	}{{sim.Divergence, 2, true}, {sim.Divergence, 1, false}, {sim.Safety, 2, false}} {
		f, err := replay.WriteFile(&sys, pathfile.Header{Finding: string(c.finding)}, choose.Path{0, 1, 0, 2})
		if err != nil || len(f.Steps) != 2 {
			t.Fatal(err, f)
		}
		f.Steps[c.step-1].Picks = nil
		text, err := content(f)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(t.TempDir(), outfolder.ErrorPath)
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := LoadFor(t.Context(), name, &sys, nil)
		if (err == nil) != c.left {
			t.Errorf("%s without a pick of step %d: got error %v", c.finding, c.step, err)
		}
		if !c.left {
			continue
		}
		if l.Steps != 1 || !strings.HasPrefix(l.Returned, "step 2 (action n0 act) did not return when the run was written, and returns here") {
			t.Errorf("got %d steps, %q", l.Steps, l.Returned)
		}
		if _, err := Describe(t.Context(), l, name, CriticalOptions{}); err != ErrNoViolation {
			t.Errorf("got %v, want %v", err, ErrNoViolation)
		}
	}
}
