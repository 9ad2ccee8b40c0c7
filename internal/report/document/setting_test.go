package document

import (
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// A search that judges no property says so, and claims nothing about recovery.
func TestNoProperty(t *testing.T) {
	r := &report.Report{Verdict: search.OK, Coverage: report.Coverage{NoProperty: true, Coverage: search.Coverage{Recovers: true}}}
	brief, full := strings.Join(Essentials(r), "\n"), strings.Join(coverageLines(r), "\n")
	if !strings.Contains(brief, "NOT covered: "+noProperty) || !strings.Contains(full, "NOT checked: "+noProperty) || strings.Contains(full, "recovery never failed") {
		t.Errorf("brief:\n%s\nfull:\n%s", brief, full)
	}
}

// The setting says how many of the allowed faults the run has. What cannot matter is not part of the deciding setting.
func TestSetting_UsedFaults(t *testing.T) {
	step := func(kind eventkind.Kind, crashed, halted bool) replay.TraceStep {
		return replay.TraceStep{Event: netmodel.Event{Kind: kind}, Crashed: crashed, Halted: halted}
	}
	r := &report.Report{Settings: report.Settings{Nodes: 3, Params: map[string]string{"degree": "2"}, Timing: sim.ByDeadline.String(), CrashCut: "none",
		Limits: sim.Limits{sim.Crashes: 2, sim.Halts: 1, sim.Loss: 1}}, Kind: sim.Liveness}
	const without = "3 nodes, crashes<=2, halts<=1, loss<=1, degree=2"
	if got := Deciding(r); got != without {
		t.Errorf("without a run: %q, want %q", got, without)
	}
	r.Dead = &replay.Trace{Steps: []replay.TraceStep{step(eventkind.Crash, false, false), step(eventkind.Deliver, true, false), step(eventkind.FireTimer, true, true), step(eventkind.Boot, false, false)}}
	const want = "3 nodes, crashes 2 of 2 used, halts 1 of 1 used, loss 0 of 1 used, "
	if got := Deciding(r); got != want+"degree=2" {
		t.Errorf("%q", got)
	}
	if got := Setting(r); got != "0.0s elapsed, "+want+"timing ByDeadline" {
		t.Errorf("headline: %q", got)
	}
	r.Timing = sim.Prompt.String()
	if got := Deciding(r); got != want+"timing Prompt, degree=2" {
		t.Errorf("with another timing: %q", got)
	}
	if got := detailFacts(r); len(got) != 1 || got[0].Text != "crash cut none, degree=2" {
		t.Errorf("details: %v", got)
	}
	r.Params["walk-weights"] = "timer=0"
	if r.Kind = sim.Safety; Deciding(r) != want+"degree=2" {
		t.Errorf("safety: %q", Deciding(r))
	}
}

// A timing that limits delays only where recovery is judged is named as such, unless the finding is about recovery.
func TestSetting_BoundedLiveness(t *testing.T) {
	for kind, want := range map[sim.FindingKind]string{
		sim.Safety:   "0.0s elapsed, 2 nodes, recovery judged with delays up to 2s",
		sim.Liveness: "0.0s elapsed, 2 nodes, timing BoundedLiveness:2s",
	} {
		r := &report.Report{Settings: report.Settings{Nodes: 2, Timing: sim.BoundedLiveness(2 * time.Second).String()}, Kind: kind}
		if got := Setting(r); got != want {
			t.Errorf("%v: %q, want %q", kind, got, want)
		}
	}
}

// A finding after a half-open connection relies on the lack of keep-alive.
func TestTimingAssumption_HalfOpens(t *testing.T) {
	broken, ok := eventkind.Parse("break-end")
	if !ok {
		t.Fatal("no kind of event is named break-end")
	}
	const without = "a message may take longer than any timer, and timers fire in any order"
	for _, c := range []struct {
		kind eventkind.Kind
		want string
	}{
		{eventkind.Deliver, without},
		{broken, without + "; no keep-alive ends a half-open connection, as it does on a real network unless disabled"},
	} {
		r := &report.Report{Kind: sim.Deadlock, Settings: report.Settings{Timing: sim.AnyOrder.String()},
			Dead: &replay.Trace{Steps: []replay.TraceStep{{Event: netmodel.Event{Kind: c.kind}}}}}
		if got := TimingAssumption(r); got != c.want {
			t.Errorf("after %v: got %q, want %q", c.kind, got, c.want)
		}
	}
}

// A search that spent its time on slow steps says so.
func TestEssentials_SlowSteps(t *testing.T) {
	r := &report.Report{Verdict: search.OK, Slow: 2}
	r.Events, r.Seconds, r.Phases = 623, 30.2, []stats.Phase{{Name: "walks", Seconds: 1}, {Name: "critical", Seconds: 28}}
	const want = "steps are SLOW, or wait for something outside of the run: 2 steps did not return within --handler-limit, but did when executed again, " +
		"which took 28.0s of 30.2s, so only 623 steps were executed"
	if got := strings.Join(Essentials(r), "\n"); !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant %q", got, want)
	}
}

// Walks without faults take another strategy rather than more time to use the faults that are allowed. A search that has
// visited all states, but not judged them, takes more time.
func TestEssentials_Next(t *testing.T) {
	for _, c := range []struct {
		strategy, stopped string
		loss              int
		want              string
	}{
		{"walk", stats.StoppedTime, 1, "never used: loss; "},
		{"walk", stats.StoppedTime, 1, "next: a strategy with faults (--strategy faulty)"},
		{"walk", stats.StoppedPaths, 1, "next: a strategy with faults (--strategy faulty)"},
		{"walk", stats.StoppedTime, 0, "next: more time (--time)"},
		{"faulty", stats.StoppedTime, 1, "next: more time (--time)"},
		{"", stats.StoppedTime, 1, "next: more time (--time)"},
		{"bfs", stats.StoppedTime, 0, "next: more time (--time)"},
	} {
		r := &report.Report{Verdict: search.OK, Settings: report.Settings{Strategy: c.strategy, Limits: sim.Limits{sim.Loss: c.loss}}}
		r.Stopped = c.stopped
		if got := strings.Join(Essentials(r), "\n"); !strings.Contains(got, c.want) {
			t.Errorf("strategy %s, stopped by %s:\n%s\nwant %q", c.strategy, c.stopped, got, c.want)
		}
	}
}

// A property that does not return is named.
func TestClaim_PropertyDoesNotReturn(t *testing.T) {
	r := &report.Report{Verdict: search.Violation, Kind: sim.Divergence, Property: "hangs", Message: `property "hangs" did not return within 5s (p.go:1)`}
	if got, want := claim(r), `The property "hangs" does not return: it did not return within 5s (p.go:1)`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
