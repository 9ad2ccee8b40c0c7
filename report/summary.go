package report

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/replay"
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
		mark := s.dead.Last()
		if c := r.Critical; c != nil && c.Step > 0 && c.Step <= s.dead.Last() {
			s.dead.Critical, mark = c.Step, c.Step
		}
		const before, lastSteps, after, mostBefore = 4, 10, 4, 80
		n := before
		if s.dead.Critical == 0 {
			n = lastSteps
		}
		s.deadSteps = s.dead.Before(mark, n)
		if n := len(s.deadSteps) - mostBefore; n > 0 {
			s.deadSteps = s.deadSteps[n:] // the text says so
		}
		for step := mark; step <= min(mark+after, s.dead.Last()); step++ {
			s.deadSteps = append(s.deadSteps, step)
		}
		if s.dead.Last() == 0 {
			s.deadSteps = []int{0}
		}
		s.deadSteps = s.withRound(s.deadSteps)
	}
	if c := r.Critical; c != nil {
		if s.tail = tailText(c.Tail); c.OutOfEvents {
			s.tail = "nothing can happen any more"
		}
		if r.Dead != nil {
			s.compare(r, c.LiveCommon)
			s.facts = append(s.facts, s.insight.facts(c.Node)...)
		}
	}
	return s
}

var kindNames = map[sim.FindingKind]string{
	sim.Safety:         "safety violation",
	sim.Liveness:       "liveness violation",
	sim.Deadlock:       "deadlock",
	sim.Starvation:     "starved for ever",
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

func (r *Report) facts() []fact {
	var f []fact
	switch r.Kind {
	case sim.Liveness, sim.Deadlock:
		f = append(f, r.neverAgain()...)
	case sim.Starvation:
		f = append(f, r.starved()...)
	case sim.Safety:
		f = append(f, fact{"violated:", r.Property, firstOf(r.Explain, r.Message)})
	case sim.Panic:
		f = append(append(f, fact{"panic:", r.Message, ""}), r.where()...)
	case sim.Divergence:
		f = append(append(f, fact{"diverges:", r.Message, ""}), r.where()...)
	case sim.Nondeterminism:
		f = append(f, fact{"not the same:", r.Message, "two executions of the same path differ"},
			fact{"what to do:", "a handler uses what is not in its node's state: a clock, random numbers, the order of a map, an address, " +
				"or a variable that nodes or runs share; look with macemc vet", ""})
	}
	if r.Kind == sim.Deadlock {
		f = append(f, fact{"stuck:", "nothing can happen any more", "no event is enabled but injected faults"})
	}
	if c := r.Critical; c != nil {
		f = append(append(f, c.facts()...), c.proof()...)
		if src := r.handler(); src != "" {
			f = append(f, fact{"handler:", src, ""})
		}
	} else if last := r.lastStep(); last != nil && r.Starved == nil {
		f = append(f, fact{fmt.Sprintf("at step %d:", last.Number), last.Sentence(), last.Source})
	}
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
	if r.isReduced() {
		f = append(f, fact{"reduced:", string(r.Coverage.Reduced.Used), "states were left out; there may be a shorter way"})
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

// neverAgain says which properties do not hold any more. Right after the critical step some of them
// may still hold for a while, so the second half of what follows it decides. When each holds now and
// then, just never all together, they are all named.
func (r *Report) neverAgain() []fact {
	label := "never again:"
	if r.Critical != nil && r.Critical.Step == 0 && r.Critical.Case == critical.C2Initial {
		label = "never:"
	}
	if r.Dead == nil {
		return []fact{{label, r.Property, firstOf(r.Explain, r.Message)}}
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
			all[i].aside = strings.TrimPrefix(all[i].aside+", not together with the others", ", ")
		}
		never = all
	}
	if len(never) == 0 {
		return []fact{{label, r.Property, firstOf(r.Explain, r.Message)}}
	}
	if len(never) == 1 {
		never[0].aside = firstOf(never[0].aside, smallState(r.Dead))
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
		return apart(r.Dead, r.Live, c.Step, c.LiveCommon)
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

func (c *Critical) facts() []fact {
	switch c.Case {
	case critical.C1:
		f := []fact{{
			fmt.Sprintf("since step %d:", c.Step), c.Event,
			fmt.Sprintf("CRITICAL: %s of %s walks recovered, %s steps each; before it %s of %s",
				number(c.After.Recovered), number(c.After.Walks), number(c.After.Limit),
				number(c.Before.Recovered), number(c.Before.Walks)),
		}}
		if c.Choice != "" {
			f = append(f, fact{"by choice:", c.Choice, ""})
		}
		return f
	case critical.C2Initial:
		text := "dead from its first step that is not live: the cause is in the prefix"
		if c.Step == 0 {
			text = "not one live state was met: dead from the start"
		}
		if c.After.Walks == 0 { // none was made from there
			return []fact{{"since:", text, ""}}
		}
		return []fact{{"since:", text, fmt.Sprintf("%s of %s walks recovered, %s steps each",
			number(c.After.Recovered), number(c.After.Walks), number(c.After.Limit))}}
	case critical.C2:
		return []fact{{"since:", "some step too late in the run to tell", fmt.Sprintf(
			"raise the walk limit, it was %s steps", number(c.Limit))}}
	}
	return []fact{{"but:", "the end of the run recovers", string(c.Case)}}
}

// proof says how it is known that the run is dead.
func (c *Critical) proof() []fact {
	switch {
	case c.Proof == critical.Exact && c.States == 0:
		return []fact{{"proof:", "dead: no state that follows is live", "all states were visited"}}
	case c.Proof == critical.Exact && c.ProvenAt == c.Step:
		return []fact{{"proof:", fmt.Sprintf("dead: all %s that follow are not live", plural(c.States, "state")), ""}}
	case c.Proof == critical.Exact:
		return []fact{{"proof:", fmt.Sprintf("dead at its end: all %s that follow are not live", plural(c.States, "state")), ""}}
	case c.Proof == critical.Walks:
		f := []fact{{"not proven:", fmt.Sprintf("%s of %s walks recovered", number(c.After.Recovered), number(max(c.After.Walks, c.Walks))), c.Unproven}}
		if c.Case == critical.C1 && c.Before.Recovered*20 < c.Before.Walks {
			f = append(f, fact{"uncertain:", "recovery is so rare that the critical step may be a later one",
				fmt.Sprintf("macemc critical error.path --walks %d", 10*max(c.After.Walks, c.Walks))})
		}
		return f
	}
	return nil
}

// tailText says what goes on for ever, most frequent first.
func tailText(t critical.Tail) string {
	const most = 4
	var parts []string
	for _, r := range t.Repeats[:min(most, len(t.Repeats))] {
		never := ""
		if r.Changes == 0 {
			never = ", changes nothing"
			if node, _, ok := strings.Cut(r.Event, " "); ok && strings.HasPrefix(node, "n") {
				never = ", never changes " + node
			}
		}
		parts = append(parts, fmt.Sprintf("%s (x%s%s)", r.Event, number(r.Count), never))
	}
	if n := len(t.Repeats) - most; n > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(parts, ", ")
}

// outcome is the title's end when nothing was found.
func (r *Report) outcome() string {
	if n := len(r.Findings); n > 0 {
		words := "1 VIOLATION"
		if n > 1 {
			words = number(n) + " DIFFERENT VIOLATIONS"
		}
		return fmt.Sprintf("%s in %s%s", words, seconds(r.Seconds), r.ended())
	}
	if r.Verdict == search.Interrupted {
		return fmt.Sprintf("INTERRUPTED after %s: nothing found until then", seconds(r.Seconds))
	}
	if r.Verdict == search.OutOfResource {
		return fmt.Sprintf("OUT OF RESOURCE after %s%s: nothing found until then, NOT a proof", seconds(r.Seconds), r.ended())
	}
	if r.Verdict == search.Inconclusive {
		return fmt.Sprintf("INCONCLUSIVE after %s%s", seconds(r.Seconds), r.ended())
	}
	if c := &r.Coverage; c.Complete && c.Unchecked == "" && (c.Fair == nil || c.Fair.Judged) {
		return fmt.Sprintf("nothing found in %s: every state within the limits was visited%s", seconds(r.Seconds), r.orStoodFor())
	}
	return fmt.Sprintf("nothing found in %s%s: bounded, NOT a proof", seconds(r.Seconds), r.ended())
}

// covered says what was explored.
func (r *Report) covered() []string {
	c := &r.Coverage
	lines := append(r.wentOn(), r.inPlainWords()...)
	exhaustive := fmt.Sprintf("exhaustive to depth %s, %s", number(c.ExhaustedDepth), plural(r.States, "state"))
	switch {
	case c.Complete:
		exhaustive = fmt.Sprintf("complete: %s", plural(r.States, "state"))
	case c.OmissionProbability != nil && *c.OmissionProbability > search.MostOmission:
		exhaustive = fmt.Sprintf("NOT exhaustive: states with equal fingerprints were taken for one; to depth %s, %s",
			number(c.ExhaustedDepth), plural(r.States, "state"))
	case c.ExhaustedDepth == 0:
		exhaustive = fmt.Sprintf("to no depth exhaustive, as it ended early: %s seen, what follows was executed from %s of them",
			plural(r.States, "state"), number(r.Expanded))
	}
	if len(c.Sampled) > 0 {
		exhaustive += ", but for draws that were sampled"
	}
	if r.Transitions > 0 {
		exhaustive += fmt.Sprintf(", %s by %s; %.1f bytes per state", plural(r.Transitions, "transition"),
			plural(r.Handlers, "handler execution"), float64(r.Bytes)/float64(max(1, r.States)))
	}
	if c.ExhaustedDepth > 0 || c.Complete || search.Name(r.Strategy).Stateful() {
		lines = append(lines, exhaustive)
	}
	if k := r.Kept; k != nil {
		text := "kept in " + k.Folder
		if k.Before > 0 {
			text += fmt.Sprintf(", where %s were before", plural(k.Before, "state"))
		}
		lines = append(lines, text)
	}
	lines = append(lines, r.reduced()...)
	if c.Recovers {
		lines = append(lines, "recovery always possible: from each of them a live state can be reached without faults")
	}
	for _, o := range r.OtherVersions {
		lines = append(lines, "built with "+o.String())
	}
	if c.Unchecked != "" {
		lines = append(lines, "NOT checked: "+c.Unchecked)
	}
	lines = append(lines, c.fairRuns()...)
	if len(c.NotChecked) > 0 {
		lines = append(lines, "not checked: "+strings.Join(c.NotChecked, "; "))
	}
	for i := range r.Phases {
		if p := &r.Phases[i]; strings.HasSuffix(p.Name, "walks") && p.Paths > 0 {
			lines = append(lines, r.walked(p))
		}
	}
	if len(r.Relied) > 0 {
		var actions []string
		for _, a := range r.Relied {
			actions = append(actions, fmt.Sprintf("%s in %s", a.Action, plural(a.Walks, "walk")))
		}
		lines = append(lines, "recovery relied on actions: "+strings.Join(actions, ", "))
	}
	if len(r.Schedules) > 0 {
		var turns []string
		for _, s := range r.Schedules {
			turns = append(turns, fmt.Sprintf("%s %s", s.Name, number(s.Paths)))
		}
		lines = append(lines, "scheduled walks: "+strings.Join(turns, ", "))
	}
	var faults []string
	for _, l := range limits(r.Limits, c.FaultsUsed) {
		if l.allowed > 0 {
			faults = append(faults, fmt.Sprintf("%s %d/%d", l.name, l.used, l.allowed))
		} else {
			faults = append(faults, fmt.Sprintf("%s 0 (off)", l.name))
		}
	}
	lines = append(lines, "faults used: "+strings.Join(faults, ", "))
	if len(c.NeverHappened) > 0 {
		lines = append(lines, "never happened while searching: "+strings.Join(c.NeverHappened, ", ")+"   (your check does not test these)")
	}
	for _, s := range c.Sometimes {
		switch {
		case s.Runs == 0:
			lines = append(lines, fmt.Sprintf("sometimes: %q NEVER", s.Property))
		case search.Name(r.Strategy).Stateful():
			lines = append(lines, fmt.Sprintf("sometimes: %q in some state", s.Property))
		default:
			lines = append(lines, fmt.Sprintf("sometimes: %q in %s%s", s.Property, plural(s.Runs, "walk"), vacuous(&s)))
		}
	}
	if line := c.afterLive(); line != "" {
		lines = append(lines, line)
	}
	if c.ForeignTimes {
		lines = append(lines, "times of different nodes were compared: every outcome was tried, also ones that no clocks give")
	}
	if c.MessagesSampled {
		lines = append(lines, "messages changed by a step after the one that sent them: looked for in a sample of runs")
	}
	for _, d := range c.Sampled {
		lines = append(lines, fmt.Sprintf("SAMPLED, not enumerated: %q has %s alternatives; what follows from the others is not covered", d.Label, number(d.Arity)))
	}
	if c.OmissionProbability != nil {
		lines = append(lines, fmt.Sprintf("probability that a state was missed by equal fingerprints: at most %.2g", *c.OmissionProbability))
	}
	if r.Uncovered != "" {
		lines = append(lines, "not covered: "+r.Uncovered)
	}
	if r.Suspects > 0 {
		lines = append(lines, plural(r.Suspects, "suspected violation")+" could not be confirmed")
	}
	return append(lines, r.engine()...)
}

// inPlainWords says what was covered to somebody who does not know how; "": nothing.
func (r *Report) inPlainWords() []string {
	c := &r.Coverage
	var what []string
	units := "choices"
	if search.Name(r.Strategy).Stateful() {
		units = "steps"
	}
	switch {
	case c.OmissionProbability != nil && *c.OmissionProbability > search.MostOmission:
	case c.Complete:
		what = append(what, "everything that can happen within the limits of nodes, actions and faults")
	case c.ExhaustedDepth > 0:
		what = append(what, fmt.Sprintf("everything that can happen in the first %s %s of a run", number(c.ExhaustedDepth), units))
	}
	runs := 0
	for i := range r.Phases {
		if p := &r.Phases[i]; p.Name == "walks" || p.Name == "faulty walks" {
			runs += p.Paths
		}
	}
	if runs > 0 {
		what = append(what, plural(runs, "random run"))
	}
	if len(what) == 0 {
		return nil
	}
	return []string{"covered: " + strings.Join(what, ", and ")}
}

// wentOn says what came of going on after the first finding.
func (r *Report) wentOn() []string {
	if len(r.Findings) == 0 {
		return nil
	}
	lines := []string{"not searched: what lies behind a violation"}
	if search.Name(r.Strategy).Stateful() {
		lines = append(lines, r.Strategy+" finds one violation of each Always property; other strategies also tell those by different handlers apart")
	}
	if r.Alike > 0 {
		lines = append(lines, plural(r.Alike, "more violation")+" like these")
	}
	if len(r.Unsure) > 0 {
		var other []string
		for _, u := range r.Unsure {
			other = append(other, fmt.Sprintf("%s in %s", u.Handler, number(u.Count)))
		}
		lines = append(lines, "of these only kind and property are the same, as no critical step is proven; the cause may be another: "+strings.Join(other, ", "))
	}
	if r.Ended != "" {
		lines = append(lines, "the search ended with the last one: "+r.Ended)
	}
	return lines
}

// brief is a finding in a line: what it is, by which handler, and where it lies.
func (r *Report) brief() string {
	text := kindNames[r.Kind]
	if r.Property != "" {
		text += " of " + r.Property
	}
	if h := r.handler(); h != "" {
		text += " by " + h
	} else if c := r.Critical; c != nil && c.Event != "" {
		text += ", since " + c.Event
	}
	if r.PathFile != "" {
		text += ": " + filepath.Dir(r.PathFile)
	}
	return text
}

// handler is the place in the source of the step that matters; "" when it is not known.
func (r *Report) handler() string {
	if step := r.stepThatMatters(); step != nil {
		return step.Source
	}
	return ""
}

// HandledBy is the place in the source of the step that matters, the kind of its event when no code handled it, or "" when
// no step is known.
func (r *Report) HandledBy() string {
	if step := r.stepThatMatters(); step != nil {
		return firstOf(step.Source, step.Kind)
	}
	return ""
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

func (r *Report) walked(p *search.Phase) string {
	parts := []string{fmt.Sprintf("%s %s", p.Name, number(p.Paths))}
	if p.Live == p.Paths {
		parts = append(parts, "all live")
	} else {
		for _, n := range []struct {
			count int
			what  string
		}{{p.Live, "live"}, {p.Duplicates, "cut at a known state"}, {p.OutOfEvents, "out of events"}, {p.TooLong, "too long"}} {
			if n.count > 0 {
				parts = append(parts, number(n.count)+" "+n.what)
			}
		}
	}
	if h := &p.Steps; h.Count > 0 {
		parts = append(parts, fmt.Sprintf("median %s steps", median(h)))
		longest := "longest " + number(h.Max)
		if r.WalkSteps > 0 {
			longest += " of " + number(r.WalkSteps)
		}
		parts = append(parts, longest)
	}
	return strings.Join(parts, ", ")
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
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
