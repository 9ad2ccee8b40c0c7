package runview

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/explorer/schedulefile"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/testsched"
	"github.com/macemc/macemc/internal/textfmt"
)

// Graph returns the graph of a run under a schedule.
func Graph(s *schedulefile.Stored, o *testsched.Outcome) *eventgraph.Graph {
	g := eventgraph.Build(scheduleTrace(s.Test, o))
	markRace(g, o)
	g.Critical, g.Named = s.Critical(o.Trace), s.Named(o.Trace)
	return g
}

// Bounds of a graph as text that shows the whole run, and the number of steps before and after the critical one that others show.
const (
	fewSteps      = 60
	fewGoroutines = 6
	aroundSteps   = 20
	endSteps      = 100 // a text with at most so many steps continues to the end
)

// SelectAround sets the steps and goroutines of a graph as text of a long run, unless flags select some: the steps around the critical one,
// or the last ones outside the standard library, with those that the report names, and the goroutines that execute code outside the
// standard library there. The hint says what is left out.
func SelectAround(f *task.Graph, o *testsched.Outcome, g *eventgraph.Graph) (hint string, err error) {
	format, err := eventgraph.Formats().Choose(f.Format, f.Out.File)
	if err != nil || format.Name != eventgraph.Formats()[0].Name ||
		slices.ContainsFunc([]string{"from", "to", "nodes", "classes"}, f.Given.Has) {
		return "", err
	}
	last, all := len(o.Trace), 0
	for _, e := range o.Trace {
		all = max(all, e.Number)
	}
	if last <= fewSteps && all <= fewGoroutines {
		return "", nil
	}
	critical := cmp.Or(f.Critical, g.Critical)
	middle := cmp.Or(critical, last)
	f.From, f.To = max(1, min(middle, last)-aroundSteps), min(last, middle+aroundSteps)
	if critical == 0 {
		f.From = lastOwnSteps(o.Trace, f.From)
	}
	if last-f.From < endSteps {
		f.To = last
	}
	steps := withNamed(f, g.Named, last)
	var shown []int
	for _, step := range steps {
		if e := o.Trace[step-1]; (e.File != "" || step == middle || slices.Contains(g.Named, step)) && !slices.Contains(shown, e.Number) {
			shown = append(shown, e.Number)
		}
	}
	slices.Sort(shown)
	var names []string
	for _, n := range shown {
		names = append(names, fmt.Sprintf("g%d", n))
	}
	f.Nodes = strings.Join(names, ",")
	others := 0
	for _, step := range steps {
		if !slices.Contains(shown, o.Trace[step-1].Number) {
			others++
		}
	}
	text := fmt.Sprintf("steps %d to %d", f.From, f.To)
	if f.Steps != nil {
		text = fmt.Sprintf("%d steps", len(steps))
	}
	hint = fmt.Sprintf("the graph has %s of %d, and %d of %d goroutines", text, last, len(shown), all)
	if others > 0 {
		hint += fmt.Sprintf(", without %s in the standard library", textfmt.Plural(others, "step"))
	}
	if f.To < last {
		hint += fmt.Sprintf("; --from %d shows the end", last-aroundSteps)
	}
	return hint + "; --from 0 shows all", nil
}

// withNamed adds the named steps, with those around them, to the steps of a graph. It returns the steps that the graph shows.
func withNamed(f *task.Graph, named []int, last int) (steps []int) {
	const around = 4
	for _, step := range named {
		if step-around < f.From && f.To-step <= endSteps {
			f.From = max(1, step-around)
			break
		}
	}
	shows := map[int]bool{}
	add := func(from, to int) {
		for step := max(1, from); step <= min(to, last); step++ {
			shows[step] = true
		}
	}
	add(f.From, f.To)
	window := len(shows)
	for _, step := range named {
		if step-around < f.From || step > f.To {
			add(step-around, step+around)
		}
	}
	steps = slices.Sorted(maps.Keys(shows))
	if len(steps) > window {
		f.Steps = steps
	}
	return steps
}

// lastOwnSteps returns the step with which the last ones begin that are at a new position outside the standard library, at most from.
func lastOwnSteps(trace []testsched.Event, from int) int {
	at, own := map[int]string{}, []int(nil)
	for i, e := range trace {
		if e.File != "" && at[e.Number] != e.At {
			at[e.Number], own = e.At, append(own, i+1)
		}
	}
	if len(own) == 0 {
		return from
	}
	return min(from, own[max(0, len(own)-aroundSteps)])
}
