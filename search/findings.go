package search

import "cmp"

// findings holds the violations and suspects of a search.
type findings struct {
	finding   *Suspect // the violation that ended the search
	detail    any      // its [Confirmed.Detail]
	found     int      // violations that did not end it
	accepted  int      // known ones of them
	suspects  int      // those not confirmed
	undecided int      // suspects neither confirmed nor refuted
	slow      int      // refuted suspects that had exceeded HandlerLimit
	suspect   *Suspect // the first undecided suspect
}

// any reports whether a violation was found.
func (f *findings) any() bool { return f.found > 0 || f.finding != nil }

// refute records a suspect that is not a violation.
func (f *findings) refute(sus *Suspect) {
	f.suspects++
	if sus.Overdue {
		f.slow++
	}
}

// undecide records a suspect that was neither confirmed nor refuted.
func (f *findings) undecide(sus *Suspect) {
	f.suspects++
	f.undecided++
	f.suspect = cmp.Or(f.suspect, sus)
}
