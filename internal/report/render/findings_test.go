package render_test

import (
	"io"
	"strings"
	"testing"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/test/golden"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/pingack"
)

func TestPanic(t *testing.T) {
	dead := trace(t, bombs(), "action n0 light", "action n0 light")
	f := dead.Finding
	if f == nil {
		t.Fatal("the bomb did not explode")
	}
	r := &report.Report{Settings: report.Settings{System: "bomb", Nodes: 1}, Verdict: search.Violation, Kind: f.Kind,
		Message: f.Message, Stack: f.Stack, Dead: dead}
	golden.Compare(t, "panic.txt", printed(t, render.Terminal, r))
	if js := string(printed(t, render.JSON, r)); !strings.Contains(js, "render_test.explode") || strings.Contains(js, "goroutine") {
		t.Errorf("the JSON does not hold the user's frames alone: %s", js)
	}
}

// A handler that overflows the stack kills its process, and only the process's last output is known.
func TestStackOverflow(t *testing.T) {
	words := "runtime: goroutine stack exceeds 1000000000-byte limit\nfatal error: stack overflow\n\n" +
		"runtime stack:\nruntime.throw({0x1, 0x2})\n\t/go/src/runtime/panic.go:1 +0x4a\n\n" +
		"goroutine 1 gp=0xc0 [running]:\n" + strings.Repeat("example.com/deep.(*Node).dig(0xc1)\n\t/home/me/deep/node.go:7 +0x1f\n", 20) +
		"...additional frames elided...\n" +
		"example.com/deep.(*Node).Receive(0xc1)\n\t/home/me/deep/node.go:3 +0x1f\n" +
		"github.com/macemc/macemc/internal/kernel.(*machine).call(0xc2)\n\t/src/internal/kernel/execute.go:9 +0x2b\n\ngoroutine 2 [idle]:\nother.f()\n\t/x/f.go:1\n"
	r := &report.Report{Settings: report.Settings{System: "deep", Nodes: 1}, Verdict: search.Violation, Kind: sim.Divergence,
		Message: "the handler overflows the stack", Stack: words}
	got := string(printed(t, render.Terminal, r))
	if n := strings.Count(got, "deep/node.go:7 deep.(*Node).dig"); n != 12 || !strings.Contains(got, "... and 9 more") {
		t.Errorf("%d frames are shown, want 12 of 21:\n%s", n, got)
	}
	if strings.Contains(got, "/home") || strings.Contains(got, "0x") || strings.Contains(got, "other.f") {
		t.Errorf("the report tells of the machine:\n%s", got)
	}
}

func TestSafety(t *testing.T) {
	dead := trace(t, bombs(sim.Property{
		Name: "not lit", Always: sim.Each(func(_ sim.NodeID, b *bomb) bool { return b.Fuse == 0 }),
		Explain: func(*sim.View) string { return "n0 burns" },
	}), "action n0 light")
	f := dead.Finding
	r := &report.Report{Settings: report.Settings{System: "bomb", Nodes: 1}, Verdict: search.Violation, Kind: f.Kind,
		Property: f.Property, Message: f.Message, Dead: dead}
	golden.Compare(t, "safety.txt", printed(t, render.Terminal, r))
	page := string(printed(t, render.HTML, r))
	if want := "&#34;not lit&#34; is violated in step 1, at n0: n0 burns</h1>"; !strings.Contains(page, want) {
		t.Errorf("the page lacks %q", want)
	}
	if strings.Contains(page, "repeats forever") {
		t.Error("the page promises what repeats forever after a run that ends")
	}
}

func TestOtherKinds(t *testing.T) {
	lit := sim.Property{Name: "lit thrice", Eventually: sim.Each(func(_ sim.NodeID, b *bomb) bool { return b.Fuse == 3 })}
	dead := trace(t, bombs(lit), "action n0 light")
	base := report.Report{Settings: report.Settings{System: "bomb", Nodes: 1}, Verdict: search.Violation, Property: lit.Name, Dead: dead}

	stuck := base
	stuck.Kind = sim.Deadlock
	stuck.Critical = &report.Critical{Transition: critical.Transition{Case: critical.DeadFromStart,
		After: critical.Probe{Walks: 200, Limit: 2000}}}
	golden.Compare(t, "deadlock.txt", printed(t, render.Terminal, &stuck))

	late := base
	late.Kind = sim.Liveness
	late.Critical = &report.Critical{Transition: critical.Transition{Case: critical.TooLateToTell}, Limit: 8000}
	golden.Compare(t, "late.txt", printed(t, render.Terminal, &late))

	loop := base
	loop.Kind, loop.Message = sim.Divergence, "the handler made more choices in one step than the bound allows"
	golden.Compare(t, "divergence.txt", printed(t, render.Terminal, &loop))

	odd := base
	odd.Kind, odd.Message = sim.Nondeterminism, "step 1 leaves n0 in different states when repeated: Fuse is 1 or 2"
	golden.Compare(t, "nondeterminism.txt", printed(t, render.Terminal, &odd))

	odd.Difference = &stats.Difference{Collision: true}
	if text := string(printed(t, render.Terminal, &odd)); !strings.Contains(strings.Join(strings.Fields(text), " "), "nodes or runs); run macemc vet") {
		t.Errorf("no advice to run macemc vet:\n%s", text)
	}
}

// A nearest live run without a step of its own was live before the first different step.
func TestLiveBefore(t *testing.T) {
	r := pingackReport(t)
	r.Live = trace(t, &pingack.System, "action n0 ping", "deliver n1<-n0 Ping{Seq:1}", "deliver n0<-n1 Ack{Seq:1}")
	r.Critical.Step, r.Critical.LiveCommon = 4, 3
	const want = "nearest run that recovered: already live before step 4\n"
	for name, f := range map[string]func(io.Writer, *document.Document) error{"terminal": render.Terminal, "Markdown": render.Markdown} {
		if text := string(printed(t, f, r)); !strings.Contains(text, want) {
			t.Errorf("%s:\n%s", name, text)
		}
	}
	if page := string(printed(t, render.HTML, r)); !strings.Contains(page, "The nearest run that recovered, equal through step 3 (3 steps)") {
		t.Error(page)
	}
}

// An action that could heal a dead run does not excuse it if the action is a disturbance. The report mentions it.
func TestFindings_Disturbing(t *testing.T) {
	r := pingackReport(t)
	r.Disturbing = []string{"reconnect", "restart"}
	if text := string(printed(t, render.Terminal, r)); !strings.Contains(text, "  disturbances:   reconnect, restart") {
		t.Error(text)
	}
	r.Kind = sim.Deadlock
	if text := string(printed(t, render.Terminal, r)); !strings.Contains(text, "only disturbances are enabled") ||
		strings.Contains(text, "no event is enabled") {
		t.Error(text)
	}
}

// A result based on walks only is called not proven everywhere, and a critical step after rare recoveries is doubted.
func TestNotProven(t *testing.T) {
	r := pingackReport(t)
	doubt := "recovery is rare, so the critical step may be a later one"
	for _, c := range []struct {
		proof     critical.Proof
		recovered int // of 200 walks before the critical step
		first     string
		doubted   bool
	}{
		{critical.Walks, 9, "not proven: 0 of 200 random continuations recovered after step 6, 9 of 200 before it, without further faults; up to 2,000 steps each", true},
		{critical.Walks, 10, "not proven: 0 of 200 random continuations recovered after step 6, 10 of 200 before it, without further faults; up to 2,000 steps each", false},
		{critical.Exact, 1, "proven: no live state among the 1 state that can follow", false},
	} {
		r.Critical.States, r.Critical.ProvenAt = 1, r.Critical.Step
		r.Critical.Proof, r.Critical.Before = c.proof, critical.Probe{Walks: 200, Recovered: c.recovered}
		page := string(printed(t, render.HTML, r))
		if !strings.Contains(page, "<dt>certainty</dt><dd>"+c.first) {
			t.Errorf("%s, %d: the first screen lacks %q", c.proof, c.recovered, c.first)
		}
		heading := "cannot become true after step 6</h1>"
		if c.proof == critical.Walks {
			heading = "did not become true after step 6 in any of 200 random continuations</h1>"
		}
		if !strings.Contains(page, heading) {
			t.Errorf("%s: the page has no heading %q", c.proof, heading)
		}
		if got := strings.Contains(string(printed(t, render.Terminal, r)), doubt); got != c.doubted {
			t.Errorf("%s, %d: doubted: %v", c.proof, c.recovered, got)
		}
	}
}

// A run that is called dead after some walks says which rate of recovery they leave possible: (1-p)^n = 5 % if none of n walks recovers.
func TestNotProven_Confidence(t *testing.T) {
	for _, c := range []struct {
		walks int
		proof critical.Proof
		most  string
	}{
		{20, critical.Walks, "at most 13.9 % of all continuations recover (95 % confidence)"},
		{50, critical.Walks, "at most 5.8 % of all continuations recover (95 % confidence)"},
		{200, critical.Walks, "at most 1.5 % of all continuations recover (95 % confidence)"},
		{200, critical.Exact, ""},
	} {
		r := pingackReport(t)
		res := critical.Result{Transition: critical.Transition{Case: critical.Unlocated, Proof: c.proof,
			After: critical.Probe{Step: 3, Walks: c.walks, Limit: 2000}}}
		r.Critical = report.CriticalOf(&res, nil)
		for name, f := range map[string]func(io.Writer, *document.Document) error{
			"terminal": render.Terminal, "Markdown": render.Markdown, "HTML": render.HTML, "JSON": render.JSON, "JUnit": render.JUnit,
		} {
			text := strings.Join(strings.Fields(string(printed(t, f, r))), " ")
			if got := strings.Contains(text, "of all continuations recover"); got != (c.most != "") || !strings.Contains(text, c.most) {
				t.Errorf("%d walks, %s, %s: want %q in:\n%s", c.walks, c.proof, name, c.most, text)
			}
			if got := strings.Contains(text, `"recovers_at_most": 0.`); name == "JSON" && got != (c.most != "") {
				t.Errorf("%d walks, %s: recovers_at_most: %v", c.walks, c.proof, got)
			}
		}
	}
}
