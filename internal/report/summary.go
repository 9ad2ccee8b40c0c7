package report

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// summary is what all renderers for people say.
type summary struct {
	title    string // "pingack: LIVENESS VIOLATION"
	sentence string // what is wrong, since when, and where; "" when nothing was found
	facts    []fact
	insight  *insight          // nil when there is no critical step
	dead     *eventgraph.Graph // nil when the run was not traced
	live     *eventgraph.Graph
	// deadSteps and liveSteps are the excerpts worth showing.
	deadSteps, liveSteps []int
	tail                 string // what goes on for ever; "" when nothing is known
	liveFrom             int    // first step in which the live run differs
	difference           string // first difference of the states of both runs
	coverage             []string
}

// fact is one labelled statement, with an aside.
type fact struct{ label, text, aside string }

func (r *Report) summarise() *summary {
	s := &summary{title: r.name() + ": "}
	if r.Verdict != search.Violation || r.Findings != nil {
		s.title += r.outcome()
		s.coverage = r.covered()
		return s
	}
	s.title += strings.ToUpper(kindNames[r.Kind])
	s.facts, s.sentence = r.facts(), r.sentence()
	if r.Dead != nil {
		s.dead = eventgraph.Build(r.Dead)
		mark := r.mark(s.dead.Last())
		if c := r.Critical; c != nil && c.Step == mark {
			s.dead.Critical = mark
		}
		const before, lastSteps, after, rest, mostBefore = 4, 10, 4, 8, 80
		n := before
		if s.dead.Critical == 0 && mark == s.dead.Last() {
			n = lastSteps
		}
		s.deadSteps = s.dead.Before(mark, n)
		if n := len(s.deadSteps) - mostBefore; n > 0 {
			s.deadSteps = s.deadSteps[n:] // the text says so
		}
		end := min(mark+after, s.dead.Last())
		if s.dead.Last()-end <= rest {
			end = s.dead.Last()
		}
		for step := mark; step <= end; step++ {
			s.deadSteps = append(s.deadSteps, step)
		}
		if s.dead.Last() == 0 {
			s.deadSteps = []int{0}
		}
		s.deadSteps = s.withRound(s.deadSteps)
	}
	if c := r.Critical; c != nil {
		if s.tail = tailText(c.Tail); c.OutOfEvents {
			s.tail = r.nothing()
		}
		if r.Dead != nil {
			s.compare(r, c.LiveCommon)
			s.facts = append(append(s.facts, s.insight.facts(c.Node)...), r.later()...)
		}
	}
	return s
}

// mark is the step that excerpts of a run of so many steps are about: the critical one or the best known bound, else the last one.
func (r *Report) mark(last int) int {
	if c := r.Critical; c != nil && max(c.Step, c.Bound) > 0 {
		return min(max(c.Step, c.Bound), last)
	}
	return last
}

var kindNames = map[sim.FindingKind]string{
	sim.Safety:         "safety violation",
	sim.Liveness:       "liveness violation",
	sim.Deadlock:       "deadlock",
	sim.Starvation:     "starved forever",
	sim.Panic:          "panic",
	sim.Divergence:     "divergence",
	sim.Nondeterminism: "nondeterminism",
}

// compare adds the live run, if it is known, and what it tells of the critical step.
func (s *summary) compare(r *Report, common int) {
	if r.Live != nil {
		s.live = eventgraph.Build(r.Live)
		s.liveFrom = common + 1
	}
	s.insight = look(s.dead, s.live, r, common)
	if s.live == nil {
		return
	}
	same := 0
	if s.insight != nil {
		same = s.insight.same
	}
	s.liveSteps = s.liveExcerpt(same)
	s.difference = firstDifference(r.Dead, r.Live, common)
}

// nothing says of a run that is stuck that it is.
func (r *Report) nothing() string {
	if len(r.Disturbing) > 0 {
		return "only disturbances are enabled"
	}
	return "no event is enabled"
}

func (r *Report) facts() []fact {
	var f []fact
	switch r.Kind {
	case sim.Liveness, sim.Deadlock:
		f = append(f, r.neverAgain()...)
		if len(r.Disturbing) > 0 {
			f = append(f, fact{"disturbances:", strings.Join(r.Disturbing, ", "), "recovery must not rely on them"})
		}
	case sim.Starvation:
		f = append(f, r.starved()...)
	case sim.Safety:
		f = append(f, fact{"violated:", r.Property, r.explained()})
	case sim.Panic:
		f = append(append(f, fact{"panic:", r.Message, ""}), r.where()...)
	case sim.Divergence:
		f = append(append(f, fact{"diverges:", r.Message, ""}), r.where()...)
	case sim.Nondeterminism:
		if r.Difference != nil && r.Difference.Twins {
			f = append(f, fact{"mismatch:", r.Message, "another run reached an equally encoded state before the last step"},
				fact{"remedy:", "a handler reads state that is not encoded; encode it (see sim.EncodeBy, sim.IgnoreField, fields with macemc:\"-\", memory shared by nodes or runs)", ""})
			break
		}
		f = append(f, fact{"mismatch:", r.Message, "two executions of the same path differ"})
		if r.Difference != nil {
			label := "differs:"
			for _, line := range r.Difference.Details {
				f = append(f, fact{label, line, ""})
				label = ""
			}
		}
		f = append(f, fact{"remedy:", "a handler depends on something outside its node's state: a clock, random numbers, map order, an address, " +
			"a variable shared by nodes or runs, or state that is not encoded (sim.EncodeBy, sim.IgnoreField); run macemc vet", ""})
	}
	if r.Kind == sim.Deadlock {
		enabled := "faults do not count"
		if len(r.Disturbing) > 0 {
			enabled = "faults and disturbances do not count"
		}
		f = append(f, fact{"deadlock:", r.nothing(), enabled})
	}
	if c := r.Critical; c != nil {
		f = append(append(append(f, c.facts()...), r.usedUp()...), c.proof()...)
		if src := r.handler(); src != "" {
			f = append(f, fact{"handler:", src, ""})
		}
	} else if last := r.lastStep(); last != nil && r.Starved == nil {
		f = append(f, fact{fmt.Sprintf("at step %d:", last.Number), last.Sentence(), last.Source})
	}
	f = append(f, r.assumes()...)
	if left := r.Coverage.NotChecked; len(left) > 0 {
		f = append(f, fact{"not checked:", strings.Join(left, "; "), ""})
	}
	if r.Uncovered != "" {
		f = append(f, fact{"not covered:", r.Uncovered, ""})
	}
	if r.Shrunk != nil {
		f = append(f, r.Shrunk.fact(r))
	} else if r.NotShrunk != "" {
		f = append(f, fact{"shrunk:", "no", r.NotShrunk})
	}
	if s := r.Coverage.Shortest; s != nil {
		f = append(f, shortest(s))
	} else if d := r.Coverage.Reduced; d != nil && search.Reduction(d.Used) != search.ReduceNone {
		f = append(f, fact{"reduced:", string(r.Coverage.Reduced.Used), "states were omitted; a shorter run may exist"})
	}
	for _, o := range r.OtherVersions {
		f = append(f, fact{"built with:", o.String(), ""})
	}
	return f
}

// where lists the user's frames of the stack.
func (r *Report) where() []fact {
	var f []fact
	label := "in:"
	for _, frame := range userFrames(r.Stack) {
		f = append(f, fact{label, frame, ""})
		label = ""
	}
	return f
}

func (r *Report) lastStep() *replay.TraceStep {
	if r.Dead == nil || len(r.Dead.Steps) == 0 {
		return nil
	}
	at := len(r.Dead.Steps)
	if f := r.Dead.FoundAt; f > 0 && f <= at {
		at = f
	}
	return &r.Dead.Steps[at-1]
}

// explained returns what is known of the violation beyond that the property does not hold; an empty string means nothing.
func (r *Report) explained() string {
	if r.Explain == "" && r.Message == kernel.DoesNotHold {
		return ""
	}
	return cmp.Or(r.Explain, r.Message)
}

// neverAgain says which properties do not hold any more. Right after the critical step some of them
// may still hold for a while, so the second half of what follows it decides. When each holds now and
// then, just never all together, they are all named.
func (r *Report) neverAgain() []fact {
	label := "never again:"
	if r.Kind == sim.Deadlock {
		label = "violated:"
	} else if r.Critical != nil && r.Critical.Step == 0 && r.Critical.Case == critical.C2Initial {
		label = "never:"
	}
	if r.Dead == nil {
		return []fact{{label, r.Property, r.explained()}}
	}
	from := len(r.Dead.Steps)
	if c := r.Critical; c != nil && c.Step > 0 {
		from -= (from - c.Step) / 2
	}
	var never, all []fact
	for _, p := range r.Dead.Properties {
		if p.Kind != "eventually" {
			continue
		}
		f := fact{label, p.Name, p.Explain}
		all = append(all, f)
		if failsFrom(r.Dead, from, p.Name) {
			never = append(never, f)
		}
	}
	if len(never) == 0 {
		for i := range all {
			all[i].aside = strings.TrimPrefix(all[i].aside+", not at the same time as the others", ", ")
		}
		never = all
	}
	if len(never) == 0 {
		return []fact{{label, r.Property, r.explained()}}
	}
	if len(never) == 1 {
		never[0].aside = cmp.Or(never[0].aside, smallState(r.Dead))
	}
	if !slices.ContainsFunc(never, func(f fact) bool { return f.aside != "" }) {
		never[0].aside = r.unlikeLive()
	}
	for i := len(never) - 1; i > 0; i-- {
		never[i].label = ""
		if never[i].aside == never[i-1].aside {
			never[i].aside = ""
		}
	}
	return never
}

// unlikeLive tells what is wrong with the dead state when no property has words for it.
func (r *Report) unlikeLive() string {
	c := r.Critical
	switch {
	case c != nil && r.Live != nil && c.Step <= len(r.Dead.Steps):
		return firstUnlike(r.Dead, r.Live, c.Step, c.LiveCommon)
	case c != nil && c.Step > 0:
		return changedLast(r.Dead, c.Step)
	}
	return changedLast(r.Dead, len(r.Dead.Steps))
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

// outcome is the title's end when nothing was found.
func (r *Report) outcome() string {
	if n := len(r.Findings); n > 0 {
		found := "1 VIOLATION"
		if n > 1 {
			found = textfmt.Number(n) + " DIFFERENT VIOLATIONS"
		}
		return fmt.Sprintf("%s in %s%s", found, seconds(r.Seconds), r.ended())
	}
	if s := r.Suspect; s != nil {
		return fmt.Sprintf("INCONCLUSIVE after %s%s: a suspected %s was not confirmed", seconds(r.Seconds), r.ended(), kindNames[s.Kind])
	}
	if r.Verdict == search.Interrupted {
		return fmt.Sprintf("INTERRUPTED after %s: nothing found so far", seconds(r.Seconds))
	}
	if r.Verdict == search.OutOfResource {
		return fmt.Sprintf("OUT OF RESOURCES after %s%s: nothing found so far, NOT a proof", seconds(r.Seconds), r.ended())
	}
	if r.Verdict == search.Inconclusive {
		return fmt.Sprintf("INCONCLUSIVE after %s%s", seconds(r.Seconds), r.ended())
	}
	if c := &r.Coverage; c.Complete && c.Unchecked == "" && (c.Fair == nil || c.Fair.Judged) {
		return fmt.Sprintf("nothing found in %s: every state within the limits was visited%s", seconds(r.Seconds), r.orStoodFor())
	}
	return fmt.Sprintf("nothing found in %s%s: bounded, NOT a proof", seconds(r.Seconds), r.ended())
}

// handler is the place in the source of the step that matters; "" when it is not known.
func (r *Report) handler() string {
	if step := r.stepThatMatters(); step != nil {
		return step.Source
	}
	return r.Handler
}

// HandledBy is the place in the source of the step that matters, the kind of its event when no code handled it, or "" when
// no step is known.
func (r *Report) HandledBy() string {
	if step := r.stepThatMatters(); step != nil {
		return cmp.Or(step.Source, step.Kind)
	}
	return r.Handler
}

// stepThatMatters is the critical step, or that with which the run ends; nil: it is not known.
func (r *Report) stepThatMatters() *replay.TraceStep {
	c := r.Critical
	switch {
	case c == nil || r.Dead == nil:
		return r.lastStep()
	case 0 < c.Step && c.Step <= len(r.Dead.Steps):
		return &r.Dead.Steps[c.Step-1]
	}
	return nil
}

// excerpt draws steps of a graph as lines of text.
func excerpt(g *eventgraph.Graph, steps []int, header bool, width int) []string {
	if g == nil || len(steps) == 0 {
		return nil
	}
	var b bytes.Buffer
	// Writing to a buffer does not fail.
	_ = g.Text(&b, eventgraph.Options{Steps: steps, Fold: -1, NoHeader: !header, Width: width})
	return strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
}
