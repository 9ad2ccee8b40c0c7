package check_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/internal/test/automaton"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// line returns a system of n states in a row, without liveness properties.
func line(n int) automaton.Table {
	var tab automaton.Table
	for s := range n - 1 {
		tab.Moves = append(tab.Moves, automaton.To(s, s+1))
	}
	tab.Moves = append(tab.Moves, automaton.To(n-1, 0), automaton.To(0, 0))
	return tab
}

// A verdict is never better than the coverage, and a search that stopped early explains it in all formats.
func TestVerdictSaysWhatWasCovered(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx     context.Context
		cfg     search.Config
		verdict search.Verdict
		stopped string
		words   []string
	}{
		"short fingerprints": {t.Context(), search.Config{Visited: "6", Alone: true}, search.OK, "fingerprints",
			[]string{"bounded, NOT a proof", "too short", "NOT exhaustive", "at most"}},
		"long fingerprints":   {t.Context(), search.Config{Visited: "64", Alone: true}, search.OK, "complete", []string{"every state within the limits was visited"}},
		"time":                {t.Context(), search.Config{Time: 100 * time.Millisecond, Strategy: search.Walk}, search.OK, "time", []string{"stopped at the limit of CPU time: bounded"}},
		"paths":               {t.Context(), search.Config{MaxPaths: 20, Strategy: search.Walk}, search.OK, "paths", []string{"stopped at the path limit: bounded"}},
		"depth":               {t.Context(), search.Config{MaxDepth: 3, Strategy: search.BFS}, search.OK, "depth", []string{"stopped at the depth limit: bounded", "exhaustive to depth 3"}},
		"interrupted":         {cancelled, search.Config{}, search.Interrupted, "interrupted", []string{"INTERRUPTED"}},
		"depth first, memory": {t.Context(), search.Config{MaxBytes: 1, Strategy: search.DFS}, search.OutOfResource, "memory", []string{"OUT OF RESOURCES", "stopped at the memory limit", "the search ended early: 1 state seen", "the successors of 0 of them computed"}},
		"deepening, memory": {t.Context(), search.Config{MaxBytes: 1 << 11, Alone: true}, search.OutOfResource, "memory",
			[]string{"OUT OF RESOURCES", "stopped at the memory limit"}},
		"breadth first, memory": {t.Context(), search.Config{MaxBytes: 1, Strategy: search.BFS}, search.OutOfResource, "memory",
			[]string{"OUT OF RESOURCES", "stopped at the memory limit"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			c.cfg.System, c.cfg.Workers = line(100).System(), 1
			rep, err := check.Run(c.ctx, check.Options{Search: c.cfg})
			if err != nil {
				t.Fatal(err)
			}
			if rep.Verdict != c.verdict || rep.Stopped != c.stopped {
				t.Errorf("%s, stopped by %q; want %s, %q", rep.Verdict, rep.Stopped, c.verdict, c.stopped)
			}
			text, object, junit, page := rendered(t, rep, 1000, c.cfg.System.Properties)
			for _, w := range c.words {
				if !strings.Contains(text, w) || !strings.Contains(junit, w) || !strings.Contains(page, w) {
					t.Errorf("text, JUnit or page does not say %q:\n%s", w, text)
				}
			}
			var got struct {
				Stopped  string
				Verdict  search.Verdict
				Coverage struct{ Complete bool }
			}
			if err := json.Unmarshal([]byte(object), &got); err != nil {
				t.Fatal(err)
			}
			green := exitcode.Of(c.verdict, nil) == exitcode.OK
			if got.Verdict != c.verdict || strings.Contains(junit, `errors="0"`) != green || strings.Contains(text, ": nothing found in") != green {
				t.Errorf("%s, exit status %d; JSON has verdict %q, JUnit:\n%s\ntext:\n%s", c.verdict, exitcode.Of(c.verdict, nil),
					got.Verdict, junit, text)
			}
			if complete := c.stopped == "complete"; got.Coverage.Complete != complete || got.Stopped != c.stopped ||
				strings.Contains(junit, `name="complete" value="true"`) != complete || strings.Contains(text, "every state") != complete {
				t.Errorf("complete in JSON %v, in JUnit and text otherwise:\n%s", got.Coverage.Complete, text)
			}
		})
	}
}

// leaver starts a goroutine in its only step if end is not nil. The goroutine waits for end.
type leaver struct {
	sim.Nop
	end  chan struct{} `macemc:"-"`
	Done bool
}

func (l *leaver) Boot(env sim.Env) { env.SetTimer("once", 1) }

func (l *leaver) Timer(sim.Env, any) {
	if l.Done = true; l.end != nil {
		go func() { <-l.end }()
	}
}

// A search is not complete while goroutines run that handlers started. Other goroutines do not matter.
func TestVerdict_GoroutinesLeft(t *testing.T) {
	end, other := make(chan struct{}), make(chan struct{})
	defer close(end)
	defer close(other)
	go func() {
		for {
			select {
			case <-other:
				return
			case <-time.After(time.Millisecond):
				go func() { <-other }()
			}
		}
	}()
	for _, strategy := range []search.Name{search.BFS, search.Deepening} {
		for _, end := range []chan struct{}{nil, end} {
			rep, err := check.Run(t.Context(),
				check.Options{Search: search.Config{Strategy: strategy, Workers: 1, Alone: strategy == search.Deepening, System: sim.System{
					Name: "leaver", Nodes: 1, New: func(sim.NodeID) sim.Service { return &leaver{end: end} },
					Properties: []sim.Property{{Name: "any", Always: func(*sim.View) bool { return true }}},
				}}})
			if err != nil {
				t.Fatal(err)
			}
			left := end != nil
			text, _, _, page := rendered(t, rep, 1000, nil)
			if rep.Coverage.Complete == left || rep.Running > 0 != left || strings.Contains(text, "every state within the limits") == left ||
				strings.Contains(text, "started by handlers") != left || strings.Contains(page, "started by handlers") != left {
				t.Errorf("%s, goroutines left %v: complete %v, %d goroutines:\n%s", strategy, left, rep.Coverage.Complete, rep.Running, text)
			}
		}
	}
}

// rendered returns a report as text of that width, as JSON, as JUnit and as a page.
func rendered(t *testing.T, rep *report.Report, width int, properties []sim.Property) (text, object, junit, page string) {
	t.Helper()
	d := document.New(rep, properties)
	d.Style.Width = width
	var b [4]strings.Builder
	if err := errors.Join(render.Terminal(&b[0], d), render.JSON(&b[1], d), render.JUnit(&b[2], d), render.HTML(&b[3], d)); err != nil {
		t.Fatal(err)
	}
	return b[0].String(), b[1].String(), b[2].String(), b[3].String()
}
