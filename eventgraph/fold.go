package eventgraph

import (
	"fmt"
	"slices"
)

// Options select what a renderer shows. The zero value shows everything, long quiet stretches folded.
type Options struct {
	From, To int // steps shown, both inclusive; To 0: to the last
	// Steps, when not nil, are the only steps shown, ascending; From and To do not count then.
	Steps []int
	// Fold is how many steps in a row that change nothing are shown one by one; a longer stretch
	// becomes a summary. 0: 4; negative: no folding.
	Fold int
	// Width is the number of columns that lines should keep to (text). 0: 100.
	Width int
	// NoHeader leaves out the line that names the lanes, and NoSource the places in the code (text).
	NoHeader, NoSource bool
	// Notes shows what handlers announced and logged (text).
	Notes bool
}

// stretch is a run of consecutive steps that are shown, or folded into one line.
type stretch struct {
	from, to int
	folded   bool
	gap      bool // steps before it are left out
}

// stretches divides what is shown.
func (g *Graph) stretches(o Options) []stretch {
	fold := o.Fold
	if fold == 0 {
		fold = 4
	}
	steps := o.Steps
	if steps == nil {
		to := o.To
		if to <= 0 || to > g.Last() {
			to = g.Last()
		}
		for s := max(o.From, 0); s <= to; s++ {
			steps = append(steps, s)
		}
	}
	var out []stretch
	for i := 0; i < len(steps); {
		j := i
		for j < len(steps) && steps[j] == steps[i]+j-i && g.quiet(&g.Events[steps[j]]) {
			j++
		}
		gap := i > 0 && steps[i] != steps[i-1]+1
		if fold >= 0 && j-i > fold {
			out = append(out, stretch{steps[i], steps[j-1], true, gap})
			i = j
			continue
		}
		out = append(out, stretch{steps[i], steps[i], false, gap})
		i++
	}
	return out
}

// tally says of a stretch that is folded how often what happened, most frequent first, in about room
// characters: "12 steps (9-20) change no node: n0 timer resend x6, n1 Ping{2} x6".
func (g *Graph) tally(from, to, room int) string {
	count := map[string]int{}
	var order []string
	for s := from; s <= to; s++ {
		what := g.Events[s].short()
		if count[what] == 0 {
			order = append(order, what)
		}
		count[what]++
	}
	slices.SortStableFunc(order, func(a, b string) int { return count[b] - count[a] })
	text := fmt.Sprintf("%d steps (%d-%d) change no node: ", to-from+1, from, to)
	for i, what := range order {
		more := ""
		if i > 0 {
			more = ", "
		}
		more += fmt.Sprintf("%s x%d", what, count[what])
		if i > 0 && len(text)+len(more) > room-len(", and more") {
			return text + ", and more"
		}
		text += more
	}
	return text
}
