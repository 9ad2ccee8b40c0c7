package document

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/textfmt"
)

// laterFacts warns that the defect may be in code that runs after the critical step, and names that code. Recovery
// was possible until the critical step, but the code that would have saved the run need not be there.
func laterFacts(r *report.Report) []Fact {
	c := r.Critical
	if c == nil || r.Dead == nil || c.Case != critical.Located {
		return nil
	}
	ran, aside := fmt.Sprintf("code that runs after step %d: ", c.Step), fmt.Sprintf("before step %d, recovery was still possible", c.Step)
	if c.OutOfEvents {
		ran, aside = "code that ran last: ", "in the end nothing happens: a message, timer or retry is missing"
	}
	handlers := handledAfter(r.Dead, c.Step, handlerOf(r))
	if len(handlers) == 0 {
		return nil
	}
	return []Fact{{"where to look:", startedAfter(r.Dead, c.Step) + ran + strings.Join(handlers, ", "), aside}}
}

// startedAfter names the last start of each node after a step, as in "the start of n0 (a.go:7, step 9), or ". If the
// start does not restore something after a crash, such as a timer, it is missing forever.
func startedAfter(run *replay.Trace, step int) (text string) {
	for _, s := range lastStarts(run, step) {
		if s != nil {
			text += fmt.Sprintf("the start of n%d (%s, step %d), or ", s.Node, s.Source, s.Number)
		}
	}
	return text
}

// lastStarts returns the last start of each node after a step; nil means none.
func lastStarts(run *replay.Trace, step int) []*replay.TraceStep {
	starts := make([]*replay.TraceStep, run.Nodes)
	for i := step; i < len(run.Steps); i++ {
		if s := &run.Steps[i]; s.Event.Kind == eventkind.Boot && s.Source != "" {
			starts[s.Node] = s
		}
	}
	return starts
}

// handledAfter names the code that handles the most events in the second half of a run after a step, and the handler of
// that step if it is among them.
func handledAfter(run *replay.Trace, step int, critical string) []string {
	const most = 6
	type handler struct {
		source, text string
		count        int
	}
	var all []handler
	index := map[string]int{} // by source
	for i := step + (len(run.Steps)-step)/2; i < len(run.Steps); i++ {
		s := &run.Steps[i]
		if s.Source == "" {
			continue
		}
		at, ok := index[s.Source]
		if !ok {
			at = len(all)
			index[s.Source] = at
			what := cmp.Or(messageName(s.What), s.Kind)
			if s.Event.Kind == eventkind.FireTimer {
				what = "timer " + what
			}
			all = append(all, handler{source: s.Source, text: fmt.Sprintf("%s (n%d, %s)", s.Source, s.Node, what)})
		}
		all[at].count++
	}
	slices.SortStableFunc(all, func(a, b handler) int { return cmp.Compare(b.count, a.count) })
	shown := most
	if len(all) == most+1 {
		shown++ // the last one takes no more room than its count
	}
	if at := slices.IndexFunc(all, func(h handler) bool { return h.source == critical }); at >= shown {
		all[shown-1], all[at] = all[at], all[shown-1]
	}
	var texts []string
	for _, h := range all {
		texts = append(texts, h.text)
	}
	return textfmt.Few(texts, shown)
}
