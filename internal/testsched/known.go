package testsched

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/testsched/program"
)

// accepted is a known finding: a stored one whose file has a line "known REASON". It does not end an exploration.
type accepted struct {
	*Stored
	runs     int  // runs of the exploration that ended with the finding
	recurred bool // one of them did, or a new process
	executed bool // its schedule was executed
	applied  bool // all switches of its schedule applied
}

// knows reports whether an outcome is a known finding: both show the same.
func (r *Result) knows(o *Outcome) bool {
	return slices.ContainsFunc(r.known, func(k *accepted) bool { return slices.Equal(k.Shows, o.Shows) })
}

// accept reports whether a run, or a new process, ended with a known finding. runs is the number of runs of the exploration that it adds.
func (r *Result) accept(o *Outcome, runs int) (known bool) {
	for _, k := range r.known {
		if slices.Equal(k.Shows, o.Shows) {
			k.runs += runs
			k.recurred, known = true, true
		}
	}
	return known
}

// showing mutes the first run of a test with known findings, which it may end with.
func showing(corpus []*Stored) Showing {
	if slices.ContainsFunc(corpus, func(f *Stored) bool { return f.Known != "" }) {
		return Muted
	}
	return First
}

// recurred reports whether a run ended with a known finding.
func (r *Result) recurred() bool {
	return slices.ContainsFunc(r.known, func(k *accepted) bool { return k.recurred })
}

// repeat executes in new processes the schedules of known findings that did not recur. One that shows another finding is the result's.
func (r *Result) repeat(replay func(*Schedule) *Outcome) {
	for _, k := range r.known {
		if k.recurred || !k.executed {
			continue
		}
		o := replay(&k.Schedule)
		k.executed = o != nil
		if o.fails() && o.Kind == Leak && r.noLeaks {
			continue
		}
		if o.fails() && !r.accept(o, 0) {
			found := k.Schedule
			r.Finding, r.Found, r.FromFile = o, &found, true
			return
		}
	}
}

// knownLines describes the known findings that recurred, those that are fixed, and those that this command could not show, one a line.
func (s *Settings) knownLines(r *Result) (known, fixed, unsought []string) {
	for _, k := range r.known {
		file := s.shown(k.File)
		lacks := s.lacks(k.Stored, r.race, r.noLeaks)
		switch {
		case k.runs > 0:
			of := program.Plural(r.Schedules, "schedule", "schedules")
			known = append(known, fmt.Sprintf("%s; in %d of %s: %s (%s)", k.Finding, k.runs, of, k.Known, file))
		case k.recurred:
			known = append(known, fmt.Sprintf("%s; only in a new process: %s (%s)", k.Finding, k.Known, file))
		case lacks != "":
			unsought = append(unsought, file+" "+lacks)
		case !k.executed || r.Finding != nil || r.Stop != nil:
		case !k.applied && r.race && !k.raced():
			unsought = append(unsought, file+" does not apply with -race")
		case k.applied:
			fixed = append(fixed, "delete "+file)
		default:
			fixed = append(fixed, "or changed so much that the schedule does not apply: delete "+file)
		}
	}
	return known, fixed, unsought
}

// lacks returns why tests that are built and executed with these flags cannot show a stored finding; an empty string means that they can.
func (s *Settings) lacks(f *Stored, race, noLeaks bool) string {
	flags := s.flags.Of(f.Test)
	switch {
	case !race && f.raced():
		return "needs -race"
	case noLeaks && slices.Contains(f.Shows, string(Leak)):
		return "is a leak"
	case f.Flags != flags && f.Flags == "":
		return "needs a command without " + flags
	case f.Flags != flags:
		return "needs " + f.Flags
	}
	return ""
}

// raced reports whether a finding is of a build with the race detector.
func (f *Stored) raced() bool {
	return f.Race || f.Schedule.Memory || slices.ContainsFunc(f.Shows, isRace)
}

// isRace reports whether a text of Outcome.Shows is about a data race.
func isRace(text string) bool { return strings.HasPrefix(text, string(Race)) }

// butRaces reports whether two stored findings of a test are the same except for data races. Only one of them is of a build with the race
// detector, and the other one is not accepted.
func (f *Stored) butRaces(g *Stored) bool {
	rest := func(shows []string) []string { return slices.DeleteFunc(slices.Clone(shows), isRace) }
	shown := rest(f.Shows)
	return f.Race != g.Race && g.Known == "" && len(shown) > 0 && slices.Equal(shown, rest(g.Shows))
}

// conclude adds the known findings of an exploration to its report, and summarizes it.
func (s *Settings) conclude(u Unit, r *Result, report *Report, note string) *Report {
	known, _, _ := s.knownLines(r)
	text, hidden := "", report.Finding == "" && r.passed == 0
	for _, line := range known {
		text += "macemc: " + KnownPrefix(hidden) + line + "\n"
	}
	report.Quiet = r.First != nil && r.knows(r.First)
	switch {
	case report.Finding != "":
		note = cmp.Or(note, refer(s, u, r, report))
		report.Finding += r.unknown() + text
		r.reported = report
		s.summarizeAs(New, u, r, note)
	case text != "" && hidden:
		report.Finding = text
		s.summarizeAs(Hidden, u, r, note)
	default:
		report.Known = text
		s.summarize(u, r, note)
	}
	return report
}

// unknown lists what the finding shows and no known one does.
func (r *Result) unknown() (text string) {
	if len(r.known) == 0 {
		return ""
	}
	for i, shown := range r.Finding.Shows {
		n := i + 1 - slices.Index(r.Finding.Shows, shown) // equal ones are neighbors
		enough := func(k *accepted) bool { return count(k.Shows, shown) >= n }
		if !slices.ContainsFunc(r.known, enough) {
			text += "not known: " + shown
			if n > 1 {
				text += fmt.Sprintf(" (%d times)", n)
			}
			text += "\n"
		}
	}
	return text
}

// count returns how often a list contains a text.
func count(list []string, text string) (n int) {
	for _, s := range list {
		if s == text {
			n++
		}
	}
	return n
}

// KnownPrefix returns the beginning of a line about a known finding. hidden means that no schedule of the test passes.
func KnownPrefix(hidden bool) string {
	if hidden {
		return "known, and nothing else could be looked at: "
	}
	return "known: "
}

// check returns an error if a stored schedule of a test is marked as known, and does not identify a finding of it.
func (f *Stored) check(u Unit) error {
	switch {
	case f.Known == "":
	case len(f.Shows) == 0:
		return fmt.Errorf(`it is known, and has no line "shows": delete it, and mark the one that is stored anew`)
	case f.Package != u.Package || f.Test != u.Test:
		return fmt.Errorf("it is known, and belongs to %s in package %s", f.Test, f.Package)
	}
	return nil
}

// Identify completes what an outcome shows, and shortens its message. Equal lists mean the same finding, in any run of any process.
func (o *Outcome) Identify() {
	o.Message = program.Printable(program.Shorten(o.Message))
	o.Shows = append(o.Shows, string(o.Kind))
	for i, text := range o.Shows {
		o.Shows[i] = brief(text)
	}
	type kind struct{ why, at, creation string }
	identities := map[kind]string{} // comparisons of equal strings that share their memory are fast
	for i := range o.Waiting {
		g := &o.Waiting[i]
		k := kind{why: g.Waits, at: g.Stack.place()}
		if g.Creation != nil {
			k.creation = g.Creation.place()
		}
		text, ok := identities[k]
		if !ok {
			text = brief(g.identity())
			identities[k] = text
		}
		o.Shows = append(o.Shows, text)
	}
	slices.Sort(o.Shows)
	if o.Kind == Leak { // the runtime may miss some of many goroutines that leak alike
		const most = 10
		shows := o.Shows
		o.Shows = nil
		for i, text := range shows {
			if i < most || shows[i-most] != text {
				o.Shows = append(o.Shows, text)
			}
		}
	}
}

// Texts of Outcome.Shows before a test that failed, and before the place of a message.
const (
	showsFailed = "failed "
	showsAt     = " at "
)

// Show adds a message, and the place that it comes from, to what an outcome shows.
func (o *Outcome) Show(what, message string, at Stack) {
	text := what + ": " + program.General(message)
	if at != nil {
		text += showsAt + at.place()
	}
	o.Shows = append(o.Shows, text)
}

// ShowFailure adds a failure of a test to what an outcome shows, with its message and the innermost user code that is not in a function
// that Helper was called in. The failures of package testing that report data races have no user code, and the accesses show these races.
func (o *Outcome) ShowFailure(test, message string, at Stack, helpers []string) {
	callers := slices.DeleteFunc(slices.Clone(at), func(f runtime.Frame) bool { return slices.Contains(helpers, f.Function) })
	if callers.File() == "" {
		callers = at
	}
	switch {
	case callers.File() != "" || message == "":
	case message == RaceFailure:
		return
	default:
		callers = nil
	}
	o.Show(showsFailed+test, message, callers)
}

// identity describes a goroutine without its number.
func (g Goroutine) identity() string {
	text := "goroutine " + describeWait(g.Waits) + " at " + g.Stack.place()
	if g.Creation != nil {
		text += ", started at " + g.Creation.place()
	}
	return text
}

// place describes the innermost frame of the user's code by its function and the text of its line, which other changes of the file leave
// alone.
func (s Stack) place() string { return s.text(textPlace, Stack.describe) }

func (s Stack) describe() string {
	f, ok := s.user()
	if !ok {
		return s.Where()
	}
	return f.Function + " " + program.DescribeLine(f.File, f.Line)
}

// brief shortens a text to what fits in a line of a file. Long texts differ by a hash of the rest.
func brief(text string) string {
	const most = 400
	text = program.Printable(text)
	if len(text) <= most {
		return text
	}
	hash := uint64(0)
	for _, b := range []byte(text) {
		hash = mix(hash ^ uint64(b))
	}
	return fmt.Sprintf("%s... %x", strings.ToValidUTF8(text[:most], ""), hash)
}
