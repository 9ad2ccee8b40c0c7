package render_test

import (
	"io"
	"strings"
	"testing"

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

// A search in which everything recovered states that no node stopped forever.
func TestNothingFound_LivenessNeverInDanger(t *testing.T) {
	const want = "recovery never failed, but no node halts: try --halts 1"
	for name, c := range map[string]struct {
		live, max, halts int
		want             bool
	}{"safe": {3, 9, 0, true}, "one does not recover": {2, 9, 0, false}, "no liveness": {3, 0, 0, false}, "halts": {3, 9, 1, false}} {
		r := nothingFound()
		r.Phases = []stats.Phase{{Name: "faulty walks", Paths: 3, Live: c.live,
			Steps: stats.Histogram{Count: 3, Max: c.max, Buckets: []int{3}}}}
		r.Limits[sim.Halts] = c.halts
		if text := flat(printed(t, render.Terminal, r)); strings.Contains(text, want) != c.want {
			t.Errorf("%s: want %v:\n%s", name, c.want, text)
		}
		r.InTest = true
		if text := flat(printed(t, render.Terminal, r)); strings.Contains(text, "no node halts: try Halts: 1 in the sim.System") != c.want ||
			strings.Contains(text, "--") {
			t.Errorf("%s, in a test: want %v, without flags:\n%s", name, c.want, text)
		}
	}
}
