package document

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/eventgraph"
)

// deadExcerpt selects the steps of the violating run to show: those around the marked one, and those of a cycle. It
// marks the critical step.
func (d *Document) deadExcerpt() (steps []int) {
	const before, lastSteps, after, rest, most, mostRound = 4, 10, 4, 8, 80, 80
	g, last := d.Dead, d.Dead.Last()
	mark := MarkedStep(d.Report, last)
	if c := d.Report.Critical; c != nil && c.Step == mark {
		g.Critical = mark
	}
	n := before
	if g.Critical == 0 && mark == last {
		n = lastSteps
	}
	steps = g.Before(mark, n)
	if len(steps) > most {
		steps = d.weighty(steps, mark, n, most) // the text names the omitted ones
	}
	end := min(mark+after, last)
	if last-end <= rest {
		end = last
	}
	for step := mark; step <= end; step++ {
		steps = append(steps, step)
	}
	if last == 0 {
		steps = []int{0}
	}
	if g.Round > 0 {
		for step := max(g.Round, last-mostRound); step <= last; step++ {
			steps = append(steps, step)
		}
		slices.Sort(steps)
		steps = slices.Compact(steps)
	}
	return steps
}

// weighty selects from the steps before the marked one the last ones that changed a state, at most most. It adds n
// direct causes of the marked step, and the senders of the messages that the step consumes.
func (d *Document) weighty(steps []int, mark, n, most int) []int {
	g := d.Dead
	steps = slices.DeleteFunc(steps, func(i int) bool { return !g.Events[i].Alters() })
	steps = append(steps[max(0, len(steps)-most):], g.Past(mark, n)...)
	for _, m := range g.Events[mark].Consumed {
		if sent := g.Messages[m].Sent; sent > 0 {
			steps = append(steps, sent)
		}
	}
	slices.Sort(steps)
	return slices.Compact(steps)
}

// liveExcerpt selects the steps of the live run to show: the first different ones, the counterpart and its
// consequences, and the step after which the state is live.
func (d *Document) liveExcerpt(in *comparison) []int {
	const first, most = 3, 12
	g, last := d.Live, d.Live.Last()
	var steps []int
	for i := d.LiveFrom; i <= min(d.LiveFrom+first-1, last); i++ {
		steps = append(steps, i)
	}
	if in != nil && in.liveStep > 0 {
		steps = append(steps, in.liveStep)
		for _, i := range g.Events[in.liveStep].Sent {
			steps = append(steps, g.Messages[i].Deliveries...)
		}
	}
	for i := d.LiveFrom; i <= last; i++ {
		if g.Events[i].Live {
			steps = append(steps, i)
			for _, c := range g.Past(i, 2) {
				if c >= d.LiveFrom {
					steps = append(steps, c)
				}
			}
			break
		}
	}
	slices.Sort(steps)
	steps = slices.Compact(steps)
	return steps[:min(most, len(steps))]
}

// LiveTitle names the nearest live run.
func (d *Document) LiveTitle() string {
	text := fmt.Sprintf("nearest run that recovered, from step %d", d.LiveFrom)
	if d.LiveFrom > d.Live.Last() {
		text = fmt.Sprintf("nearest run that recovered: already live before step %d", d.LiveFrom)
	}
	return text + d.LiveViolates()
}

// LiveViolates describes the violation in the nearest live run itself. An empty string means none.
func (d *Document) LiveViolates() string {
	c := d.Report.Critical
	if c.LiveViolates == "" {
		return ""
	}
	return fmt.Sprintf(", which itself violates %q", c.LiveViolates)
}

// Excerpt draws steps of a graph as lines of text. Ticks are folded unless expand is set.
func Excerpt(g *eventgraph.Graph, steps []int, header, expand bool, width int) []string {
	if g == nil || len(steps) == 0 {
		return nil
	}
	var b bytes.Buffer
	// Writing to a buffer does not fail.
	_ = g.Text(&b, eventgraph.Options{Steps: steps, Fold: -1, Expand: expand, NoHeader: !header, Width: width})
	return strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
}

// fold marks the steps that the text names in both graphs, adds them to the excerpt, and finds the ticks that renderers show as one line.
func (d *Document) fold() {
	r := d.Report
	if d.Dead == nil {
		return
	}
	last := d.Dead.Last()
	d.Dead.Named = append([]int{MarkedStep(r, last), last, r.Steps}, d.DeadNamed...)
	if s := r.LastStep(); s != nil {
		d.Dead.Named = append(d.Dead.Named, s.Number)
	}
	if s := r.Starved; s != nil {
		d.Dead.Named = append(d.Dead.Named, s.Steps)
	}
	if c := r.Critical; c != nil {
		d.Dead.Named = append(d.Dead.Named, c.After.Step, c.ProvenAt, c.LiveCommon)
	}
	d.DeadSteps = slices.DeleteFunc(d.DeadSteps, func(step int) bool { return connects(d.Dead, step) })
	for _, step := range d.DeadNamed {
		if step > 0 && step <= last {
			d.DeadSteps = append(d.DeadSteps, step)
		}
	}
	slices.Sort(d.DeadSteps)
	d.DeadSteps = slices.Compact(d.DeadSteps)
	d.DeadFolds = d.Dead.Folds()
	if d.Live != nil {
		d.Live.Named = append([]int{d.LiveFrom, r.Critical.LiveCommon}, d.LiveNamed...)
		d.LiveFolds = d.Live.Folds()
	}
}

// connects reports whether an excerpt leaves a step out because it only opens or closes connections.
func connects(g *eventgraph.Graph, step int) bool {
	return eventgraph.Connects(g, step) && !slices.Contains(g.Named, step)
}

// Violating draws the excerpt of the violating run. A last line counts the steps that only open or close connections, which are left out
// unless expand is set.
func (d *Document) Violating(expand bool, width int) []string {
	var connecting []int
	for step := d.DeadSteps[0]; step < d.DeadSteps[len(d.DeadSteps)-1]; step++ {
		if connects(d.Dead, step) && !slices.Contains(d.DeadSteps, step) {
			connecting = append(connecting, step)
		}
	}
	if expand {
		return Excerpt(d.Dead, slices.Sorted(slices.Values(slices.Concat(d.DeadSteps, connecting))), true, true, width)
	}
	lines := Excerpt(d.Dead, d.DeadSteps, true, false, width)
	if n := len(connecting); n > 0 {
		lines = append(lines, fmt.Sprintf(`steps left out because they only open or close connections: %d; "steps" in macemc mdb lists them`, n))
	}
	return lines
}
