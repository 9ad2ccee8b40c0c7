package eventgraph

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/textfmt"
)

// segment is one step, or several that are folded into one line.
type segment struct {
	steps []int // never empty, ascending
	gap   bool  // the steps before it are omitted
	ticks *Fold // nil means another segment in which no node changes
	// leftOut means that the steps are not in the list of steps to show.
	leftOut bool
}

func (s *segment) folded() bool { return len(s.steps) > 1 || s.leftOut }
func (s *segment) from() int    { return s.steps[0] }
func (s *segment) to() int      { return s.steps[len(s.steps)-1] }

// segments divides the shown steps. It takes time linear in the number of steps of the range or, if it folds ticks, of
// the run.
func (g *Graph) segments(o Options) []segment {
	fold := o.Fold
	if fold == 0 {
		fold = 4
	}
	steps := g.candidates(o)
	filtered := o.Classes != nil || o.Nodes != nil
	if filtered {
		steps = slices.DeleteFunc(slices.Clone(steps), func(step int) bool { return !g.selected(&g.Events[step], &o) })
	}
	next := func(i int) bool { // the step at i follows the one at i-1
		return filtered && o.Steps == nil || steps[i] == steps[i-1]+1
	}
	var folds []Fold
	if !o.Expand {
		folds = g.Folds()
	}
	if o.Steps != nil {
		steps = g.complete(steps, folds)
	}
	var out []segment
	for i, n := 0, 1; i < len(steps); i += n {
		quiet := 0
		for fold >= 0 && i+quiet < len(steps) && (quiet == 0 || next(i+quiet)) && g.quiet(&g.Events[steps[i+quiet]]) {
			quiet++
		}
		ticks := g.ticksIn(steps[i:], folds)
		s := segment{gap: i > 0 && !next(i)}
		switch {
		case quiet > max(fold, 1) && quiet > ticks:
			n = quiet
		case ticks > 1:
			n = ticks
			f := g.fold(steps[i], steps[i+n-1])
			s.ticks = &f
		default:
			n = 1
		}
		s.steps = steps[i : i+n]
		out = append(out, s)
	}
	return out
}

// Folded returns the sequences of steps that the lane view folds, ascending. The last step of the run is in none.
func (g *Graph) Folded() (list []replay.Folded) {
	for _, s := range g.segments(Options{From: 1, To: g.Last() - 1}) {
		if s.folded() && s.to() < g.Last() {
			list = append(list, replay.Folded{First: g.Events[s.from()].Step, Last: g.Events[s.to()].Step, Text: g.summary(&s, textWidth)})
		}
	}
	return list
}

// marked adds what a list of steps to show leaves out, as segments.
func (g *Graph) marked(o Options, shown []segment) (all []segment) {
	if o.Steps == nil || len(shown) == 0 {
		return shown
	}
	next := 1
	leaveOut := func(to int) {
		if next <= to {
			all = append(all, segment{steps: sequence(next, to), leftOut: true})
		}
	}
	for _, s := range shown {
		leaveOut(s.from() - 1)
		all, next = append(all, s), s.to()+1
	}
	leaveOut(g.Last())
	return all
}

// complete adds to steps, which ascend, the others of their folds.
func (g *Graph) complete(steps []int, folds []Fold) []int {
	base := g.Events[0].Step
	all := slices.Clone(steps)
	for _, f := range folds {
		from, to := f.First-base, f.Last-base
		if at, _ := slices.BinarySearch(steps, from); at == len(steps) || steps[at] > to {
			continue
		}
		all = append(all, sequence(from, to)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// ticksIn returns how many of the first steps follow each other inside of one fold.
func (g *Graph) ticksIn(steps []int, folds []Fold) int {
	number := steps[0] + g.Events[0].Step
	at, _ := slices.BinarySearchFunc(folds, number, func(f Fold, number int) int { return f.Last - number })
	if at == len(folds) || folds[at].First > number {
		return 0
	}
	n := 1
	for n < len(steps) && steps[n] == steps[0]+n && number+n <= folds[at].Last {
		n++
	}
	return n
}

// steps returns the shown steps, folded or not.
func (g *Graph) steps(o Options) (steps []int) {
	for _, s := range g.segments(o) {
		steps = append(steps, s.steps...)
	}
	return steps
}

// summary describes a folded segment in about room characters.
func (g *Graph) summary(s *segment, room int) string {
	switch {
	case s.ticks != nil:
		return textfmt.Truncate(g.line(s.ticks), room)
	case s.leftOut:
		return g.skipped(s.from(), s.to(), room)
	}
	return g.tally(s.steps, room)
}

// candidates returns the steps of the range or list in the options.
func (g *Graph) candidates(o Options) []int {
	if o.Steps != nil {
		return o.Steps
	}
	to := o.To
	if to <= 0 || to > g.Last() {
		to = g.Last()
	}
	return sequence(max(o.From, 0), to)
}

// sequence returns the numbers from..to.
func sequence(from, to int) (all []int) {
	for i := from; i <= to; i++ {
		all = append(all, i)
	}
	return all
}

// tally describes folded steps in about room characters: "12 steps (9-20) change no node: n0 timer resend x6, n1 Ping{2} x6".
func (g *Graph) tally(steps []int, room int) string {
	what := " change no node: "
	if len(steps) == 1 {
		what = " changes no node: "
	}
	if g.Goroutines {
		what = " in the standard library, or at the position of the step before: "
	}
	return g.count(g.span(steps[0], steps[len(steps)-1])+what, steps, room)
}

// count appends to a text how often each event happened in some steps, in about room characters: faults first, then the most frequent ones.
func (g *Graph) count(text string, steps []int, room int) string {
	count := map[string]int{}
	faults := map[string]bool{}
	var order []string
	for _, s := range steps {
		e := &g.Events[s]
		what := e.short()
		if g.Goroutines {
			what = g.lane(e.Node) + " " + e.What
		}
		if count[what] == 0 {
			order = append(order, what)
		}
		count[what]++
		faults[what] = faults[what] || e.Crashed || e.kind.Injection()
	}
	slices.SortStableFunc(order, func(a, b string) int {
		if faults[a] != faults[b] {
			if faults[a] {
				return -1
			}
			return 1
		}
		return count[b] - count[a]
	})
	for i, what := range order {
		more := ""
		if i > 0 {
			more = ", "
		}
		more += what
		if count[what] > 1 {
			more += fmt.Sprintf(" x%d", count[what])
		}
		if i > 0 && len(text)+len(more) > room-len(", and more") {
			return text + ", and more"
		}
		text += more
	}
	return textfmt.Truncate(text, max(room, 40))
}

// skipped describes the steps from..to, which are not shown.
func (g *Graph) skipped(from, to, room int) string {
	steps := sequence(from, to)
	if !slices.ContainsFunc(steps, func(i int) bool { return !g.quiet(&g.Events[i]) }) {
		return g.tally(steps, room)
	}
	return g.count(g.span(from, to)+" left out: ", steps, room)
}

// span counts the events from..to and names their steps.
func (g *Graph) span(from, to int) string {
	from, to = g.Events[from].Step, g.Events[to].Step
	if from == to {
		return fmt.Sprintf("1 step (%d)", from)
	}
	return fmt.Sprintf("%d steps (%d-%d)", to-from+1, from, to)
}

// quiet reports whether the event changed nothing worth showing.
func (g *Graph) quiet(e *Event) bool {
	if e.Step < cmp.Or(g.Critical, g.found) && e.HasLastingEffect() {
		return false
	}
	if e.Step == g.Critical && e.Step > 0 || g.inRound(e.Step) || e.Error != "" || e.Crashed || len(e.Broke)+len(e.Mended) > 0 ||
		len(e.Gone) > 0 {
		return false
	}
	if k := e.kind; k == eventkind.DoAction && !g.Goroutines || k == eventkind.Boot || k == eventkind.Heal || k.Injection() || k == eventkind.DeliverError {
		return false
	}
	return !slices.ContainsFunc(e.Changes, func(c replay.NodeChange) bool { return !c.Bookkeeping() })
}
