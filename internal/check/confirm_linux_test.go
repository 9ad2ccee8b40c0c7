package check_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/check/isolate"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// endless does not return once it has counted to 30, and is never live.
type endless struct {
	sim.Nop
	N int
}

func hangsLater() sim.System {
	return sim.System{
		Name: "endless", Nodes: 1,
		New: func(sim.NodeID) sim.Service { return new(endless) },
		Actions: []sim.AnyAction{sim.Action[*endless]{Name: "count", Do: func(c *endless, _ sim.Env) {
			if c.N++; c.N == 30 {
				select {}
			}
		}}},
		Properties: []sim.Property{{Name: "rests", Eventually: sim.Each(func(sim.NodeID, *endless) bool { return false })}},
	}
}

// A handler that does not return and that only the walks of a confirmation reach becomes a finding after a fresh
// process has waited for it. If no process can be started, the result is undecided.
func TestConfirmationThatDoesNotReturn(t *testing.T) {
	o := testOptions(hangsLater())
	o.Search.Strategy, o.Search.WalkSteps, o.Search.MaxDepth, o.Search.HandlerLimit = search.Walk, 10, 0, 200*time.Millisecond
	o.Search.MaxPaths = 64
	o.Dir, o.Respawn = filepath.Join(t.TempDir(), "out"), harmed("walks")
	rep, err := check.Run(t.Context(), o)
	if err != nil || rep.Verdict != search.Violation || rep.Kind != sim.Divergence || rep.Steps != 30 || !strings.Contains(rep.Stack, "hangsLater") {
		t.Errorf("%v, %+v", err, rep)
	}
	o.Respawn, o.Search.MaxPaths = nil, 1
	rep, err = check.Run(t.Context(), o)
	if err != nil || rep.Verdict != search.Inconclusive || rep.Suspects != 1 {
		t.Errorf("%v, %+v", err, rep)
	}
}

// A handler that does not return is confirmed before its run is shrunk, so a process that is killed then has a violation.
func TestConfirmationThatDoesNotReturn_IsKnownWhileShrinking(t *testing.T) {
	flight := filepath.Join(t.TempDir(), "flight")
	t.Setenv("MACEMC_FLIGHT", flight)
	o := testOptions(hangsLater())
	o.Search.Strategy, o.Search.WalkSteps, o.Search.MaxDepth, o.Search.HandlerLimit = search.Walk, 100, 0, 200*time.Millisecond
	o.Dir, o.Replace, o.Respawn = filepath.Join(t.TempDir(), "out"), true, harmed("walks")
	note := ""
	o.Search.Progress = func(p search.Progress) {
		if strings.Contains(p.Phase, "shrinking") {
			text, err := os.ReadFile(isolate.Beside(flight, "suspect"))
			if note = string(text); err != nil {
				t.Error(err)
			}
		}
	}
	if rep, err := check.Run(t.Context(), o); err != nil || rep.Kind != sim.Divergence {
		t.Errorf("got %v, %+v, want a divergence", err, rep)
	}
	if want := string(report.Confirmed); !strings.Contains(note, want) {
		t.Errorf("got the note %q while shrinking, want a suspect that is %s", note, want)
	}
}

// switched returns slowly, or not at all if it was switched on.
type switched struct {
	sim.Nop
	On, Done bool
}

// slowOrEndless returns a system of a switched node. Steps that do not return end when ended is set, so that they take no processor
// from later tests.
func slowOrEndless(ended *atomic.Bool) sim.System {
	return sim.System{
		Name: "switched", Nodes: 1,
		New: func(sim.NodeID) sim.Service { return new(switched) },
		Actions: []sim.AnyAction{
			sim.Action[*switched]{Name: "switch", Times: 1, Do: func(s *switched, _ sim.Env) { s.On = true }},
			sim.Action[*switched]{Name: "work", Times: 1, Do: func(s *switched, _ sim.Env) {
				for began := time.Now(); s.On && !ended.Load() || time.Since(began) < 3*time.Second/2; {
					s.Done = true
				}
			}},
		},
		Properties: []sim.Property{{Name: "fine", Always: func(*sim.View) bool { return true }}},
	}
}

// A run is not shrunk to one with a last step that is slow, but returns. If there is no time to wait for it, the run
// stays as it was found, or the suspect is undecided.
func TestSlowStepIsNotDivergence(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for what does not return")
	}
	var ended atomic.Bool
	defer ended.Store(true)
	for limit, want := range map[time.Duration]search.Verdict{5 * time.Second: search.Violation, 200 * time.Millisecond: search.Inconclusive} {
		o := testOptions(slowOrEndless(&ended))
		o.Dir, o.Respawn, o.Search.HandlerLimit, o.Search.Time = filepath.Join(t.TempDir(), "out"), harmed("slow"), 500*time.Millisecond, limit
		rep, err := check.Run(t.Context(), o)
		if err != nil || rep.Verdict != want || want == search.Violation && (rep.Kind != sim.Divergence || rep.Steps != 2) {
			t.Errorf("time limit %v: %v, %s, %s in %d steps; want %s", limit, err, rep.Verdict, rep.Kind, rep.Steps, want)
		}
	}
}

// An Explain that does not return, called for the report only, does not prevent the report.
func TestExplainThatDoesNotReturn(t *testing.T) {
	t.Parallel()
	sys := hangsLater()
	sys.Properties = []sim.Property{
		{Name: "few", Always: sim.Each(func(_ sim.NodeID, c *endless) bool { return c.N < 3 })},
		{
			Name: "rests", Eventually: sim.Each(func(sim.NodeID, *endless) bool { return false }),
			Explain: func(*sim.View) string { select {} },
		},
	}
	o := testOptions(sys)
	o.Respawn, o.Search.HandlerLimit, o.NoShrink, o.Dir = nil, 50*time.Millisecond, true, filepath.Join(t.TempDir(), "out")
	rep, err := check.Run(t.Context(), o)
	if err != nil || rep.Kind != sim.Safety || rep.Property != "few" ||
		rep.Dead.Properties[1].Explain != "does not hold (its Explain did not return)" {
		t.Errorf("%v, %+v", err, rep)
	}
}
