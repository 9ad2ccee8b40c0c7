package testsched

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/testsched/program"
)

// IsRace reports whether a text of Outcome.Shows is about a data race.
func IsRace(text string) bool { return strings.HasPrefix(text, string(Race)) }

// Identify completes what an outcome shows, and shortens its message. Equal lists mean the same finding, in any run of any process.
func (o *Outcome) Identify() {
	o.Message = program.Printable(program.Shorten(o.Message))
	o.Shows = append(o.Shows, string(o.Kind))
	for i, text := range o.Shows {
		o.Shows[i] = Brief(text)
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
			text = Brief(g.Identity())
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

// Identity describes a goroutine without its number.
func (g Goroutine) Identity() string {
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

// Brief shortens a text to what fits in a line of a file. Long texts differ by a hash of the rest.
func Brief(text string) string {
	const most = 400
	text = program.Printable(text)
	if len(text) <= most {
		return text
	}
	hash := uint64(0)
	for _, b := range []byte(text) {
		hash = Mix(hash ^ uint64(b))
	}
	return fmt.Sprintf("%s... %x", strings.ToValidUTF8(text[:most], ""), hash)
}
