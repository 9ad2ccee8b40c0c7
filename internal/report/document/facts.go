package document

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/properties"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/nodestates"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// MarkedStep returns the step at the center of excerpts of a run with last steps: the critical step or its best known
// bound, else the last step.
func MarkedStep(r *report.Report, last int) int {
	if c := r.Critical; c != nil && max(c.Step, c.Bound) > 0 {
		return min(max(c.Step, c.Bound), last)
	}
	return last
}

// stuckText describes a run whose last state enables no event of the recovery relation.
func stuckText(r *report.Report) string {
	if len(r.Disturbing) > 0 {
		return "only disturbances are enabled"
	}
	return "no event is enabled"
}

// violatedFacts describes the violation and its step, in all formats. docs/reports.md explains the labels.
func violatedFacts(r *report.Report) []Fact {
	var f []Fact
	switch r.Kind {
	case sim.Liveness, sim.Deadlock:
		f = append(f, neverAgain(r)...)
	case sim.Starvation:
		f = append(f, starvedFacts(r)...)
	case sim.Safety:
		if why := explained(r); strings.Contains(why, "\n") { // the sentence contains its first line
			f = append(f, Fact{"violated:", r.Property, why})
		}
	case sim.Panic:
		f = append(append(append(f, wholeMessage(r, "panic:")...), stackFacts(r)...), downFacts(r)...)
	case sim.Divergence:
		f = append(append(f, wholeMessage(r, "diverges:")...), stackFacts(r)...)
	case sim.Nondeterminism:
		f = append(f, wholeMessage(r, "mismatch:")...)
		if r.Difference != nil && r.Difference.Collision {
			f = append(f, Fact{"mismatch:", "another run reached a state with the same encoding before the last step", ""},
				remedyFact("a handler reads state that is not encoded; encode it (see sim.EncodeBy, sim.IgnoreField, fields with macemc:\"-\", memory shared by nodes or runs)"))
			break
		}
		if r.Difference != nil {
			f = append(f, labeled("differs:", r.Difference.Details)...)
		}
		f = append(f, remedyFact("a handler or a property depends on something outside the nodes' states: a clock, random numbers, map order, an address, "+
			"a variable shared by nodes or runs, or state that is not encoded (sim.EncodeBy, sim.IgnoreField)"))
	}
	if r.Kind == sim.Deadlock {
		enabled := "faults do not count"
		if len(r.Disturbing) > 0 {
			enabled = "faults and disturbances do not count"
		}
		f = append(f, Fact{"deadlock:", stuckText(r), enabled})
	}
	if c := r.Critical; c != nil {
		f = append(append(append(f, criticalFacts(c, handlerOf(r))...), usedUpFacts(r)...), waitFacts(r)...)
	} else if last := r.LastStep(); last != nil && r.Starved == nil {
		at, source := "at", last.Source
		if r.Running > 0 {
			at, source = "until", ""
		}
		f = append(f, Fact{fmt.Sprintf("%s step %d:", at, last.Number), last.Sentence(), source})
	}
	return f
}

// remedyFact suggests how to find what makes code nondeterministic.
func remedyFact(cause string) Fact { return Fact{"remedy:", cause + "; run macemc vet", ""} }

// moreFacts returns the facts after the first screen.
func moreFacts(r *report.Report) []Fact {
	var f []Fact
	if r.Kind == sim.Liveness || r.Kind == sim.Deadlock {
		f = onlyWithText(Fact{"disturbances:", strings.Join(r.Disturbing, ", "), "recovery must not rely on them"})
	}
	f = slices.Concat(f, timingFacts(r), detailFacts(r), onlyWithText(Fact{"not checked:", join(r.Coverage.NotChecked...), ""}),
		onlyWithText(Fact{"not covered:", r.Uncovered, ""}))
	if r.Shrunk != nil {
		f = append(f, shrunkFact(r.Shrunk, r))
	} else if r.NotShrunk != "" {
		f = append(f, Fact{"shrunk:", "no", r.NotShrunk})
	}
	if s := r.Coverage.Shortest; s != nil {
		f = append(f, shortest(s))
	} else if d := r.Coverage.Reduced; d != nil && string(d.Used) != options.ReduceNone {
		f = append(f, Fact{"reduced:", string(r.Coverage.Reduced.Used), "states were omitted; a shorter run may exist"})
	}
	for _, o := range r.OtherVersions {
		f = append(f, Fact{"built with:", o.String(), ""})
	}
	return f
}

// downFacts explains a likely cause of a property that panics while nodes are down.
func downFacts(r *report.Report) []Fact {
	if r.Property == "" || r.Dead == nil {
		return nil
	}
	down := map[int]bool{}
	for i := range r.Dead.Steps {
		switch s := &r.Dead.Steps[i]; {
		case s.Crashed || s.Event.Kind.TakesDown():
			for _, node := range append(s.With[:len(s.With):len(s.With)], s.Node) {
				down[node] = true
			}
		case s.Event.Kind == eventkind.Boot:
			delete(down, s.Node)
		}
	}
	if len(down) == 0 {
		return nil
	}
	nodes := replay.ListNodes(slices.Sorted(maps.Keys(down)))
	return []Fact{{"down:", nodes, "View.Service returns nil for a node that is down; sim.Each omits such nodes"}}
}

// wholeMessage returns the message of a finding if it has several lines. The sentence contains only the first line.
func wholeMessage(r *report.Report, label string) []Fact {
	if !strings.Contains(r.Message, "\n") {
		return nil
	}
	return []Fact{{label, r.Message, ""}}
}

// stackFacts lists the user's frames of the stack.
func stackFacts(r *report.Report) []Fact { return labeled("in:", UserFrames(r.Stack)) }

// labeled returns a fact for each text. Only the first one has the label.
func labeled(label string, texts []string) (f []Fact) {
	for _, text := range texts {
		f = append(f, Fact{label, text, ""})
		label = ""
	}
	return f
}

// explained returns the explanation of a violation. An empty string means that it is known only that the property
// does not hold.
func explained(r *report.Report) string {
	if r.Explain == "" && r.Message == properties.DoesNotHold {
		return ""
	}
	return cmp.Or(r.Explain, r.Message)
}

// neverAgain names the properties that do not hold any more. Some may still hold for a while after the critical step,
// so the second half of the steps after it decides. If each holds at times, but never all together, it names all of
// them.
func neverAgain(r *report.Report) []Fact {
	label := "never again:"
	if r.Kind == sim.Deadlock || ByWalks(r) || unexamined(r) {
		label = "violated:"
	} else if r.Critical != nil && r.Critical.Step == 0 && r.Critical.Case == critical.DeadFromStart {
		label = "never:"
	}
	if r.Dead == nil {
		return []Fact{{label, r.Property, explained(r)}}
	}
	from := len(r.Dead.Steps)
	if c := r.Critical; c != nil && c.Step > 0 {
		from -= (from - c.Step) / 2
	}
	var never, all []Fact
	for _, p := range r.Dead.Properties {
		if p.Kind != "eventually" {
			continue
		}
		f := Fact{label, p.Name, cmp.Or(p.Explain, failingNodes(r.Dead, &p))}
		if !p.Holds && p.Explain == "" && !strings.Contains(f.Aside, "{") { // the states are long
			f.Aside = join(f.Aside, "set Property.Explain to describe the state")
		}
		all = append(all, f)
		if failsFrom(r.Dead, from, p.Name) {
			never = append(never, f)
		}
	}
	if len(never) == 0 {
		for i := range all {
			all[i].Aside = join(all[i].Aside, "not at the same time as the others")
		}
		never = all
	}
	if len(never) == 0 {
		return []Fact{{label, r.Property, explained(r)}}
	}
	for i := len(never) - 1; i > 0; i-- {
		never[i].Label = ""
		if never[i].Aside == never[i-1].Aside {
			never[i].Aside = ""
		}
	}
	return never
}

// failingNodes describes the nodes that a property reads while it does not hold, as "at n0{Sent:2 Acked:1}". It omits long
// states. An empty string means that the nodes are unknown, or their states long.
func failingNodes(t *replay.Trace, p *replay.PropertyState) string {
	if p.Holds || len(p.FailsAt) == 0 {
		return nodestates.Small(t, p.Reads)
	}
	if text := nodestates.Small(t, p.FailsAt); text != "" {
		return "at " + text
	}
	return "at " + replay.ListNodes(p.FailsAt)
}

// endFacts describes the state at the end of a dead run if no property explains it. shown is the difference that precedes, see
// [Document.Difference]; its parts are not repeated.
func endFacts(r *report.Report, shown string) []Fact {
	if r.Dead == nil || r.Kind != sim.Liveness && r.Kind != sim.Deadlock {
		return nil
	}
	for i := range r.Dead.Properties {
		p := &r.Dead.Properties[i]
		if p.Kind == "eventually" && (p.Explain != "" || strings.Contains(failingNodes(r.Dead, p), "{")) {
			return nil
		}
	}
	at := len(r.Dead.Steps)
	switch c := r.Critical; {
	case c != nil && r.Live != nil && c.Step <= at:
		f := Fact{"difference:", nodestates.InTheEnd(r.Dead, r.Live, c.Step, c.LiveCommon, strings.Split(shown, "; ")), "at the end of this run | when the other is live"}
		if shown != "" {
			f.Label = ""
		}
		return onlyWithText(f)
	case c != nil && c.Step > 0:
		at = c.Step
	}
	return onlyWithText(Fact{"last changed:", nodestates.LastChanged(r.Dead, at), "at the end"})
}

func onlyWithText(f Fact) []Fact {
	if f.Text == "" {
		return nil
	}
	return []Fact{f}
}

// failsFrom reports whether the property fails after each step from the given one on.
func failsFrom(t *replay.Trace, from int, property string) bool {
	for i := max(from, 1) - 1; i < len(t.Steps); i++ {
		if !slices.Contains(t.Steps[i].Failing, property) {
			return false
		}
	}
	return len(t.Steps) > 0 || slices.Contains(t.Boot.Failing, property)
}

// outcome returns the end of the title without a single finding.
func outcome(r *report.Report) string {
	if n := len(r.Findings); n > 0 {
		found := "1 VIOLATION"
		if n > 1 {
			found = textfmt.Number(n) + " DIFFERENT VIOLATIONS"
		}
		return fmt.Sprintf("%s in %s%s", found, elapsed(r), ended(r))
	}
	if s := r.Suspect; s != nil {
		return fmt.Sprintf("INCONCLUSIVE after %s%s: a suspected %s was not confirmed", elapsed(r), ended(r), kindNames[s.Kind])
	}
	if r.Verdict == search.Interrupted {
		return fmt.Sprintf("INTERRUPTED after %s: nothing found so far", elapsed(r))
	}
	if r.Verdict == search.OutOfResource {
		return fmt.Sprintf("OUT OF RESOURCES after %s%s: nothing found so far, NOT a proof", elapsed(r), ended(r))
	}
	if r.Verdict == search.Inconclusive {
		return fmt.Sprintf("INCONCLUSIVE after %s%s", elapsed(r), ended(r))
	}
	if c := &r.Coverage; c.Complete && c.Unchecked == "" && (c.Fair == nil || c.Fair.Judged) {
		return fmt.Sprintf("nothing found in %s: every state within the limits was visited%s", elapsed(r), orStoodFor(r))
	}
	nothing := "nothing"
	if r.Count(report.Recurs) > 0 {
		nothing = "nothing new"
	}
	return fmt.Sprintf("%s found in %s%s: bounded, NOT a proof", nothing, elapsed(r), ended(r))
}

// elapsed returns the duration of a search by the clock. It names the clock, because the time limit does not count waits
// for a processor.
func elapsed(r *report.Report) string { return seconds(r.Seconds) + " elapsed" }

// handlerOf returns the source position of the decisive step. An empty string means unknown.
func handlerOf(r *report.Report) string {
	if step := r.DecisiveStep(); step != nil {
		return step.Source
	}
	return r.Handler
}

// readFacts names the steps that wrote the data read by the violated property, the last ones first, in addition to
// the violating step.
func (d *Document) readFacts() (f []Fact) {
	const most = 3
	if d.Dead == nil {
		return nil
	}
	if f := d.observedFacts(); f != nil {
		return f
	}
	label, which := "property:", "also reads "
	for i, step := range slices.Backward(d.Dead.Read) {
		if step == 0 {
			break
		}
		if len(f) == most {
			return append(f, Fact{"", "and what " + textfmt.Plural(i+1, "earlier step") + " wrote", ""})
		}
		e := &d.Dead.Events[step]
		d.DeadNamed = append(d.DeadNamed, step)
		f = append(f, Fact{label, fmt.Sprintf("%swhat step %d wrote: %s", which, step, e.Text), e.Source})
		label, which = "", ""
	}
	return f
}

// observedFacts lists the observations that violate a monitor, the last ones if there are many.
func (d *Document) observedFacts() (f []Fact) {
	const most, mostAnnounced = 5, 120
	observed := d.Report.Dead.Observed
	more := max(0, len(observed)-most)
	for _, o := range observed[more:] {
		text, source := fmt.Sprintf("step %d: n%d announces %s", o.Step, o.Node, replay.Shorten(o.Text, mostAnnounced)), ""
		if o.Step > 0 {
			d.DeadNamed = append(d.DeadNamed, o.Step)
			source = d.Report.Dead.Steps[o.Step-1].AnnouncedAt(o.Text)
		}
		f = append(f, Fact{"", text, source})
	}
	if len(f) > 0 {
		f[0].Label = "observed:"
	}
	if more > 0 {
		f = append(f, Fact{"", "and " + textfmt.Plural(more, "earlier announcement"), ""})
	}
	return f
}
