package check_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

type (
	order struct{ ID int }
	again struct{ ID int }
	bill  struct{ ID int }
)

// shop never bills the second of two orders if it is bad. Otherwise it may lose bills, but not forever.
func shop(bad bool) sim.System {
	try := func(x *machine.Ctx, id int) {
		if bad && id == 1 || !x.FairFlip("billed") {
			x.Send(x.Self(), again{id})
			return
		}
		x.Send(0, bill{id})
	}
	shops := machine.Define[struct{}]("shop", machine.In("open",
		machine.On(func(_ *struct{}, x *machine.Ctx, o order) { try(x, o.ID) }),
		machine.On(func(_ *struct{}, x *machine.Ctx, a again) { try(x, a.ID) })))
	buys := machine.Define[struct{}]("buyer", machine.In("buying",
		machine.Entry(func(_ *struct{}, x *machine.Ctx) { x.Send(1, order{0}); x.Send(1, order{1}) }), machine.Ignore(bill{})))
	var ms machine.System
	ms.Add(buys, struct{}{})
	ms.Add(shops, struct{}{})
	machine.EachAnswered(&ms, "each order is billed", func(o order) int { return o.ID }, func(b bill) int { return b.ID })
	return ms.Sim("shop")
}

// Text, JSON and JUnit report whether fair runs were judged.
func TestReportSaysWhetherFairRunsWereJudged(t *testing.T) {
	for _, c := range []struct {
		name    string
		bad     bool
		cfg     search.Config
		judged  bool
		verdict search.Verdict
		text    []string
		junit   []string
	}{
		{"bfs", false, search.Config{Strategy: search.BFS}, true, search.OK,
			[]string{"satisfied on every infinite fair run: monitor each order is billed (pending in "}, []string{`name="fair_runs" value="judged"`, `skipped="1"`}},
		{"deepening that sees all", false, search.Config{Time: time.Minute}, true, search.OK,
			[]string{"every state", "satisfied on every infinite fair run"}, []string{`name="fair_runs" value="judged"`}},
		{"bounded", false, search.Config{Strategy: search.BFS, MaxDepth: 2}, false, search.OK,
			[]string{"NOT judged", "not all states were visited", "each order is billed"}, []string{`value="not judged: not all states were visited"`, `skipped="2"`}},
		{"walk", false, search.Config{Strategy: search.Walk, MaxPaths: 10}, false, search.OK,
			[]string{"NOT judged", "strategy walk executes runs", " fair walks through at most ", "found no violation"},
			[]string{`value="not judged: strategy walk executes runs`, " fair walks through at most ", `skipped="2"`}},
		{"dfs, bad", true, search.Config{Strategy: search.DFS}, true, search.Violation,
			[]string{"STARVED FOREVER", "monitor each order is billed: 1", "repeats", "steps of shop1", "recovery:"},
			[]string{`type="starvation"`, `failures="1"`}},
		{"walk, bad", true, search.Config{Strategy: search.Walk, MaxPaths: 10}, false, search.Violation,
			[]string{"STARVED FOREVER", "monitor each order is billed: ", "repeats", "recovery:     is not possible"}, []string{`type="starvation"`}},
		{"default, bad", true, search.Config{Time: time.Minute}, true, search.Violation, []string{"STARVED FOREVER"}, []string{`type="starvation"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.cfg.System, c.cfg.Workers = shop(c.bad), 1
			rep, err := check.Run(t.Context(), check.Options{Search: c.cfg, Dir: t.TempDir() + "/found"})
			if err != nil {
				t.Fatal(err)
			}
			text, object, junit, page := rendered(t, rep, 200, c.cfg.System.Properties)
			var got struct {
				Verdict  search.Verdict
				Kind     sim.FindingKind
				Coverage struct{ Fair stats.Fair }
				Starved  struct{ Steps, Round int }
			}
			if err := json.Unmarshal([]byte(object), &got); err != nil {
				t.Fatal(err)
			}
			if got.Verdict != c.verdict || got.Coverage.Fair.Judged != c.judged || (got.Kind == sim.Starvation) != c.bad || (got.Starved.Round > 0) != c.bad {
				t.Errorf("%+v", got)
			}
			unwrapped := strings.Join(strings.Fields(text), " ")
			for _, w := range c.text {
				if !strings.Contains(unwrapped, strings.Join(strings.Fields(w), " ")) {
					t.Errorf("%q is not in the text:\n%s", w, text)
				}
			}
			for _, w := range c.junit {
				if !strings.Contains(junit, w) {
					t.Errorf("%q is not in JUnit:\n%s", w, junit)
				}
			}
			if c.bad {
				readsBack(t, rep, c.cfg.System, text, page)
			}
		})
	}
}

// After a run with a starved obligation no others are searched. No obligation counts as settled then, however the run
// was found.
func TestNothingIsSettledPastStarvation(t *testing.T) {
	for _, cfg := range []search.Config{{Time: time.Minute}, {Strategy: search.Walk, MaxPaths: 10}, {Strategy: search.BFS}} {
		cfg.System, cfg.Workers = shop(true), 1
		rep, err := check.Run(t.Context(), check.Options{Search: cfg, Dir: t.TempDir() + "/found", KeepGoing: true})
		if err != nil {
			t.Fatal(err)
		}
		text, _, _, _ := rendered(t, rep, 200, cfg.System.Properties)
		if f := rep.Coverage.Fair; len(rep.Findings) != 1 || rep.Coverage.Complete || f == nil || f.Judged || strings.Contains(text, "satisfied on every") ||
			strings.Contains(text, "found no violation") {
			t.Errorf("%s: %+v\n%s", cfg.Strategy, f, text)
		}
	}
}

// readsBack loads the path file of a run that ends in a cycle.
func readsBack(t *testing.T, rep *report.Report, sys sim.System, text, page string) {
	t.Helper()
	for _, w := range []string{"start of the cycle", "end of the cycle", "stays pending forever: ", " repeats", "forever</dt>"} {
		if !strings.Contains(page, w) {
			t.Errorf("%q is not on the page", w)
		}
	}
	if !strings.Contains(text, "\n @ ") && !strings.Contains(text, " @") {
		t.Errorf("the round is not marked:\n%s", text)
	}
	l, err := check.LoadFor(t.Context(), rep.PathFile, &sys, nil)
	if err != nil {
		t.Fatal(err)
	}
	trace, err := l.Trace(-1)
	if err != nil || l.Outdated(trace) != nil || trace.Round != rep.Starved.Round || l.Violation(trace) != "starvation: monitor each order is billed" {
		t.Errorf("%v, %v, a round of %d steps, %q", err, l.Outdated(trace), trace.Round, l.Violation(trace))
	}
	if _, err := check.Shrink(t.Context(), l, check.ShrinkOptions{}); err == nil || !strings.Contains(err.Error(), "ends in a cycle") {
		t.Errorf("it is shrunk, %v", err)
	}
	var log, sequence strings.Builder
	if err := trace.WriteText(&log); err != nil || !strings.Contains(log.String(), "monitor each order is billed stays pending forever") || !strings.Contains(log.String(), "\nstart of the cycle") || !strings.Contains(log.String(), "\nend of the cycle") {
		t.Errorf("%v: the round is not marked:\n%s", err, &log)
	}
	g := eventgraph.Build(trace)
	if err := g.Mermaid(&sequence, eventgraph.Options{}); err != nil || !strings.HasSuffix(sequence.String(), "\n    end\n") || strings.Count(sequence.String(), "loop forever") != 1 {
		t.Errorf("%v: the round is not marked:\n%s", err, &sequence)
	}
	again, err := check.Describe(t.Context(), l, rep.PathFile, check.CriticalOptions{})
	if err != nil || again.Kind != sim.Starvation || again.Property != rep.Property {
		t.Errorf("%v, %+v", err, again)
	}
	l.Header.Round++ // one more step is not a cycle
	trace, err = l.Trace(-1)
	if err != nil || l.Outdated(trace) == nil || l.Violation(trace) != "" {
		t.Errorf("a round that does not come round: %v, %q", err, l.Violation(trace))
	}
	if _, err := check.Describe(t.Context(), l, rep.PathFile, check.CriticalOptions{}); err == nil {
		t.Error("a round that does not come round is reported")
	}
}
