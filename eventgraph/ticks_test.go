package eventgraph_test

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/test/golden"
	"github.com/macemc/macemc/internal/test/toys"
	"github.com/macemc/macemc/sim"
)

// Of 70 ticks, the 20th changes the value of a property and the last one sends a message. The other ones are folded
// in each format.
func TestFolds_Formats(t *testing.T) {
	g := scripted(t, toys.Ticking(70, 20), toys.Ticks(70)...)
	want := []eventgraph.Fold{
		{First: 1, Last: 19, Node: 0, Text: "9.5 s pass, 19 ticks, Ticks 0->19"},
		{First: 21, Last: 69, Node: 0, Text: "24.5 s pass, 49 ticks, Ticks 20->69"},
	}
	if got := g.Folds(); !slices.Equal(got, want) {
		t.Errorf("folds %v, want %v", got, want)
	}
	all := eventgraph.Options{}
	golden.Compare(t, "ticks.txt", render(t, g.Text, all))
	golden.Compare(t, "ticks.mmd", render(t, g.Mermaid, all))
	golden.Compare(t, "ticks.svg", render(t, g.SVG, all))

	var parsed struct{ Folds []eventgraph.Fold }
	if err := json.Unmarshal(render(t, func(w io.Writer, _ eventgraph.Options) error { return g.JSON(w) }, all), &parsed); err != nil || !slices.Equal(parsed.Folds, want) {
		t.Errorf("JSON: %v, folds %v, want %v", err, parsed.Folds, want)
	}
	page := string(render(t, g.HTML, all))
	for text, n := range map[string]int{`<g class="ticks">`: 2, `<g class="step" data-step="30">`: 1, `<g class="step" data-step="20">`: 2} {
		if got := strings.Count(page, text); got != n {
			t.Errorf("the page has %d of %s, want %d", got, text, n)
		}
	}
	each := eventgraph.Options{Expand: true}
	if got := strings.Count(string(render(t, g.Text, each)), "timer tick"); got != 70 {
		t.Errorf("expanded: %d of 70 ticks", got)
	}
	if got := strings.Count(string(render(t, g.JSONLines, all)), "\n"); got != 72 {
		t.Errorf("%d JSON lines, want one for each of 72 steps", got)
	}
}

// Steps that matter to a reader are in no fold, and divide folds.
func TestFolds_Divided(t *testing.T) {
	ranges := func(g *eventgraph.Graph) (all [][2]int) {
		for _, f := range g.Folds() {
			all = append(all, [2]int{f.First, f.Last})
		}
		return all
	}
	g := scripted(t, toys.Ticking(10, 10), toys.Ticks(10)...)
	if got, want := ranges(g), [][2]int{{1, 9}}; !slices.Equal(got, want) {
		t.Errorf("folds %v, want %v", got, want)
	}
	g.Critical, g.Named = 4, []int{7}
	if got, want := ranges(g), [][2]int{{1, 3}, {5, 6}, {8, 9}}; !slices.Equal(got, want) {
		t.Errorf("step 4 critical, step 7 named: folds %v, want %v", got, want)
	}
	// A choice of steps shows a fold as a whole, a range only a part of it.
	text := func(o eventgraph.Options) string { return string(render(t, g.Text, o)) }
	if got := text(eventgraph.Options{Steps: []int{2, 4}}); !strings.Contains(got, "... steps 1-3, n0: 1.5 s pass, 3 ticks, Ticks 0->3\n > 4") {
		t.Errorf("steps 2 and 4:\n%s", got)
	}
	if got := text(eventgraph.Options{From: 2, To: 4}); !strings.Contains(got, "... steps 2-3, n0: 1 s passes, 2 ticks, Ticks 1->3\n > 4") {
		t.Errorf("steps 2 to 4:\n%s", got)
	}
}

// counting has a timer whose handler does more than to tick.
type counting struct {
	sim.Nop
	N int
	A []int

	do func(*counting, sim.Env) `macemc:"-"`
}

type (
	beat  struct{}
	other struct{}
)

func (c *counting) Boot(env sim.Env) {
	if env.Self() == 0 {
		env.SetTimer(beat{}, toys.Period)
	}
}

func (c *counting) Timer(env sim.Env, _ any) {
	env.SetTimer(beat{}, toys.Period)
	c.do(c, env)
}

// A timer is no tick if it does anything but to advance numbers by the same amounts.
func TestFolds_OnlyClocks(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(*counting, sim.Env)
		want string
	}{
		"a number":      {func(c *counting, _ sim.Env) { c.N += 2 }, "3 ticks (beat), N 0->6"},
		"nothing":       {func(*counting, sim.Env) {}, "3 ticks (beat)"},
		"a number back": {func(c *counting, _ sim.Env) { c.N-- }, ""},
		"unequal":       {func(c *counting, _ sim.Env) { c.N = 2*c.N + 1 }, ""},
		"another field": {func(c *counting, _ sim.Env) { c.A = append(c.A, 1) }, ""},
		"a message":     {func(_ *counting, env sim.Env) { env.Send(1, beat{}) }, ""},
		"a write":       {func(_ *counting, env sim.Env) { env.Disk().Put("a", nil) }, ""},
		"a log line":    {func(_ *counting, env sim.Env) { env.Log().Info("a") }, ""},
		"a choice":      {func(_ *counting, env sim.Env) { env.Choose("a", 2) }, ""},
		"another timer": {func(_ *counting, env sim.Env) { env.StopTimer(beat{}); env.SetTimer(other{}, 0) }, ""},
	} {
		sys := &sim.System{Name: "counting", Nodes: 2, New: func(sim.NodeID) sim.Service { return &counting{do: c.do} }, Network: toys.Ticking(1, 1).Network}
		keys := slices.Repeat([]string{"timer n0 beat{}"}, 3)
		if name == "another timer" {
			keys = []string{"timer n0 beat{}", "timer n0 other{}"}
		}
		g := (*eventgraph.Graph)(nil)
		if name == "a choice" { // keys do not name its result
			g = randomRun(t, sys, 1, 3)
		} else {
			g = scripted(t, sys, keys...)
		}
		got := ""
		if f := g.Folds(); len(f) > 0 {
			got = f[0].Text
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
