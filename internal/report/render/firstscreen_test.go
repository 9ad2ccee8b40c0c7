package render_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Data of another node that a violated property reads was written by a cause.
func TestSafety_ReadsOtherNode(t *testing.T) {
	sys := bombs(sim.Property{Name: "one is lit", Always: func(v *sim.View) bool {
		return v.Service(0).(*bomb).Fuse+v.Service(1).(*bomb).Fuse < 2
	}})
	sys.Nodes = 2
	dead := trace(t, sys, "action n1 light", "action n0 light")
	f := dead.Finding
	r := &report.Report{Settings: report.Settings{System: "bomb", Nodes: 2}, Verdict: search.Violation, Kind: f.Kind, Property: f.Property,
		Message: f.Message, Dead: dead}
	for name, format := range map[string]func(io.Writer, *document.Document) error{"text": render.Terminal,
		"Markdown": render.Markdown, "JSON": render.JSON, "page": render.HTML} {
		if text := string(printed(t, format, r)); !strings.Contains(text, "what step 1 wrote: n1 light") {
			t.Errorf("%s does not name step 1:\n%s", name, text)
		}
	}
	if page := string(printed(t, render.HTML, r)); !strings.Contains(page, `"p":[1]`) {
		t.Error("the page dims step 1 among the causes of step 2")
	}
}

// A property that panics is not called a handler. If a node is down, its nil service is the likely cause.
func TestPanic_OfProperty(t *testing.T) {
	sys := bombs(sim.Property{Name: "lit", Eventually: func(v *sim.View) bool { return v.Service(0).(*bomb).Fuse > 0 }})
	sys.Crashes = 1
	dead := trace(t, sys, "crash n0")
	f := dead.Finding
	r := &report.Report{Settings: report.Settings{System: "bomb", Nodes: 1}, Verdict: search.Violation, Kind: f.Kind, Property: f.Property,
		Message: f.Message, Stack: f.Stack, Dead: dead}
	contains(t, string(printed(t, render.Terminal, r)), true,
		`The property "lit" panics in step 1, at n0: interface conversion: sim.Service is nil, not`,
		"  down:         n0                               View.Service returns nil for a node that is down;\n")
}

// A deadlock of goroutine nodes lists the operation that blocks each goroutine.
func TestDeadlock_WaitList(t *testing.T) {
	r := pingackReport(t)
	r.Kind = sim.Deadlock
	program := func(field, value string) replay.NodeChange {
		return replay.NodeChange{Node: 1, Path: "(" + field + ")", Part: replay.Part{Kind: replay.Program, Name: field}, New: value}
	}
	r.Dead.Boot.Changes = append(r.Dead.Boot.Changes, program("stale", "false"),
		program("goroutines", "chan send at pool.go:31 in (*Pool).give; sync.Mutex.Lock at pool.go:12 in (*Pool).take"))
	text := string(printed(t, render.Terminal, r))
	contains(t, text, true, "  waits:          n1 chan send at pool.go:31 in (*Pool).give\n",
		"\n                  n1 sync.Mutex.Lock at pool.go:12 in (*Pool).take\n")
	page := string(printed(t, render.HTML, r))
	contains(t, page, true, "<dt>waits</dt><dd>n1 chan send at pool.go:31 in (*Pool).give</dd>",
		"<dd>n1 sync.Mutex.Lock at pool.go:12 in (*Pool).take</dd>")
}

// A search without a finding states under which timing recovery was judged, and whether a node could halt.
func TestNothingFound_RecoveryTiming(t *testing.T) {
	const halts, inTest = "; not tried: a node that halts (--halts 1)", "; not tried: a node that halts (Halts: 1)"
	for name, c := range map[string]struct {
		live, max, halts int
		timing           sim.Timing
		want             string
		tried            bool
	}{
		"unbounded":       {3, 9, 0, sim.ByDeadline, "recovery never failed with unbounded delays, so that time-outs of healthy nodes may have helped", false},
		"any order":       {3, 9, 0, sim.AnyOrder, "recovery never failed with unbounded delays", false},
		"prompt":          {3, 9, 0, sim.Prompt, "recovery never failed with timers that wait while a message is on its way", false},
		"both":            {3, 9, 0, sim.SometimesBounded(time.Second), "recovery never failed with delays of at most 1s, and with unbounded ones", false},
		"bounded":         {3, 9, 0, sim.BoundedLiveness(time.Second), "recovery never failed with delays of at most 1s", false},
		"one is refuted":  {2, 9, 0, sim.Bounded(time.Second), "recovery was judged with delays of at most 1s", true},
		"no liveness":     {3, 0, 0, sim.ByDeadline, "", true},
		"a node may halt": {3, 9, 1, sim.Bounded(time.Second), "recovery never failed with delays of at most 1s", true},
	} {
		r := nothingFound()
		r.Timing = c.timing.String()
		r.Phases = []stats.Phase{{Name: "faulty walks", Paths: 3, Live: c.live,
			Steps: stats.Histogram{Count: 3, Max: c.max, Buckets: []int{3}}}}
		r.Limits[sim.Halts] = c.halts
		text := flat(printed(t, render.Terminal, r))
		if !strings.Contains(text, c.want) || strings.Contains(text, "recovery") != (c.want != "") || strings.Contains(text, halts) == c.tried {
			t.Errorf("%s: want %q, and a node that halts was tried: %v:\n%s", name, c.want, c.tried, text)
		}
		r.InTest = true
		if text := flat(printed(t, render.Terminal, r)); strings.Contains(text, inTest) == c.tried || strings.Contains(text, "--") {
			t.Errorf("%s, in a test: a node that halts was tried: %v, and no flags:\n%s", name, c.tried, text)
		}
	}
}
