package document

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
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
	places := stoppedAfter(r.Dead, c.Step)
	if handlers := handledAfter(r.Dead, c.Step, handlerOf(r)); len(handlers) > 0 {
		places = append(places, startedAfter(r.Dead, c.Step)+ran+strings.Join(handlers, ", "))
	}
	return onlyWithText(Fact{"where to look:", join(places...), aside})
}

// mostStopped is the maximum number of places that stoppedAfter returns.
const mostStopped = 4

// stoppedAfter names what no longer happens after a step of a run, the most telling first: a lost message that is not sent
// again, handlers that ran once and changed nothing, messages that are not answered as they were before, and timers that
// are not set again.
func stoppedAfter(run *replay.Trace, step int) (texts []string) {
	steps := run.Steps[min(step, len(run.Steps)):]
	programs := run.Programs()
	ran := map[string]int{}
	for i := range steps {
		ran[steps[i].Source]++
	}
	if step > 0 && step <= len(run.Steps) {
		texts = append(texts, notSentAgain(run, &run.Steps[step-1], steps)...)
	}
	for i := range steps {
		if s := &steps[i]; s.Source != "" && ran[s.Source] == 1 && idle(s) && !programs[s.Node] {
			texts = append(texts, fmt.Sprintf("%s (%s, only in step %d, changes nothing)", s.Source, handled(s), s.Number))
		}
	}
	texts = append(append(texts, unanswered(run, step, programs)...), timersLost(run, step, programs)...)
	return textfmt.Few(texts, mostStopped)
}

// idle reports whether a step handles a message or a timer and has no effect.
func idle(s *replay.TraceStep) bool {
	return (s.Event.Kind == eventkind.Deliver || s.Event.Kind == eventkind.FireTimer) && !s.Crashed && len(s.Changes) == 0 && len(s.Effects) == 0
}

// handled names the event of a step, as in "n0, timer resend".
func handled(s *replay.TraceStep) string {
	what := cmp.Or(messageName(s.What), s.Kind)
	if s.Event.Kind == eventkind.FireTimer {
		what = "timer " + what
	}
	return fmt.Sprintf("n%d, %s", s.Node, what)
}

// sends reports whether a step sends a message of a name, or any if name is "", to a node.
func sends(s *replay.TraceStep, to int, name string) bool {
	return slices.ContainsFunc(s.Effects, func(e replay.TraceEffect) bool {
		return e.Applied && e.MsgID > 0 && e.Peer == to && (name == "" || messageName(e.Text) == name)
	})
}

// notSentAgain names the code that sent the message that was lost in a step, if none of its name follows.
func notSentAgain(run *replay.Trace, lost *replay.TraceStep, steps []replay.TraceStep) []string {
	if lost.Event.Kind != eventkind.Lose || lost.Concerns == 0 {
		return nil
	}
	name := messageName(lost.What)
	for i := range steps {
		if s := &steps[i]; s.Node == lost.Peer && sends(s, lost.Node, name) {
			return nil
		}
	}
	from := ""
	for _, s := range append([]replay.TraceStep{run.Boot}, run.Steps[:lost.Number-1]...) {
		for _, e := range s.Effects {
			if e.MsgID == lost.Concerns {
				from = e.From
			}
		}
	}
	if from == "" {
		return nil
	}
	return []string{fmt.Sprintf("%s is not sent again (%s, n%d)", name, from, lost.Peer)}
}

// unanswered names the handlers that answer no message after a step, although they did before. Programs have none.
func unanswered(run *replay.Trace, step int, programs map[int]bool) (texts []string) {
	answers := map[string]bool{} // by handler: before the step
	ever := map[string]bool{}    // after it
	first := map[string]*replay.TraceStep{}
	for i := range run.Steps {
		s := &run.Steps[i]
		if s.Event.Kind != eventkind.Deliver || s.Source == "" || s.Peer < 0 || programs[s.Node] {
			continue
		}
		switch answer := sends(s, s.Peer, ""); {
		case s.Number <= step:
			answers[s.Source] = answers[s.Source] || answer
		default:
			ever[s.Source] = ever[s.Source] || answer
			if first[s.Source] == nil {
				first[s.Source] = s
			}
		}
	}
	for i := step; i < len(run.Steps); i++ {
		if s := &run.Steps[i]; first[s.Source] == s && answers[s.Source] && !ever[s.Source] {
			texts = append(texts, fmt.Sprintf("%s (%s, not answered from step %d on)", s.Source, handled(s), s.Number))
		}
	}
	return texts
}

// timersLost names the handlers of the timers that fired last after a step, were set at least twice until then, and are
// not set again, in more steps than ever before. The timer of a program stands for all of its timers.
func timersLost(run *replay.Trace, step int, programs map[int]bool) (texts []string) {
	type timer struct {
		node int
		text string
	}
	set := map[timer]int{}                 // the step in which it was set last
	longest := map[timer]int{}             // the most steps between two of those
	fired := map[timer]*replay.TraceStep{} // for the last time, and not set since
	for i := range run.Steps {
		s := &run.Steps[i]
		if s.Event.Kind == eventkind.FireTimer {
			fired[timer{s.Node, s.What}] = s
		}
		for _, e := range s.Effects {
			if e.Kind == stepinfo.SetTimerEffect.String() && e.Applied {
				t := timer{s.Node, e.Text}
				if last, again := set[t]; again {
					longest[t] = max(longest[t], s.Number-last)
				}
				set[t] = s.Number
				delete(fired, t)
			}
		}
	}
	for i := step; i < len(run.Steps); i++ {
		s := &run.Steps[i]
		if s.Source == "" || programs[s.Node] {
			continue
		}
		if t := (timer{s.Node, s.What}); fired[t] == s && longest[t] > 0 && len(run.Steps)-s.Number > longest[t] {
			texts = append(texts, fmt.Sprintf("%s (%s, not set again after step %d)", s.Source, handled(s), s.Number))
		}
	}
	return texts
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
			all = append(all, handler{source: s.Source, text: fmt.Sprintf("%s (%s)", s.Source, handled(s))})
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
