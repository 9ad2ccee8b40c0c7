package explorer

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/macemc/macemc/internal/explorer/schedulefile"
	"github.com/macemc/macemc/internal/explorer/summary"
	"github.com/macemc/macemc/internal/testsched"
	"github.com/macemc/macemc/internal/testsched/program"
)

// accepted is a known finding: a stored one whose file has a line "known REASON". It does not end an exploration.
type accepted struct {
	*schedulefile.Stored
	runs     int  // runs of the exploration that ended with the finding
	recurred bool // one of them did, or a new process
	executed bool // its schedule was executed
	applied  bool // all switches of its schedule applied
}

// knows reports whether an outcome is a known finding: both show the same.
func (r *Result) knows(o *testsched.Outcome) bool {
	return slices.ContainsFunc(r.known, func(k *accepted) bool { return slices.Equal(k.Shows, o.Shows) })
}

// accept reports whether a run, or a new process, ended with a known finding. runs is the number of runs of the exploration that it adds.
func (r *Result) accept(o *testsched.Outcome, runs int) (known bool) {
	for _, k := range r.known {
		if slices.Equal(k.Shows, o.Shows) {
			k.runs += runs
			k.recurred, known = true, true
		}
	}
	return known
}

// showing mutes the first run of a test with known findings, which it may end with.
func showing(corpus []*schedulefile.Stored) testsched.Showing {
	if slices.ContainsFunc(corpus, func(f *schedulefile.Stored) bool { return f.Known != "" }) {
		return testsched.Muted
	}
	return testsched.First
}

// recurred reports whether a run ended with a known finding.
func (r *Result) recurred() bool {
	return slices.ContainsFunc(r.known, func(k *accepted) bool { return k.recurred })
}

// repeat executes in new processes the schedules of known findings that did not recur. One that shows another finding is the result's.
func (r *Result) repeat(replay execute) {
	for _, k := range r.known {
		if k.recurred || !k.executed {
			continue
		}
		o := replay(&k.Schedule)
		k.executed = o != nil
		if o.Fails() && o.Kind == testsched.Leak && r.noLeaks {
			continue
		}
		if o.Fails() && !r.accept(o, 0) {
			found := k.Schedule
			r.Finding, r.Found, r.FromFile = o, &found, true
			return
		}
	}
}

// knownFindings describes the known findings.
func (s *Settings) knownFindings(r *Result) (f summary.KnownFindings) {
	for _, k := range r.known {
		file := s.shown(k.File)
		lacks := s.lacks(k.Stored, r.race, r.noLeaks)
		switch {
		case k.runs > 0:
			of := program.Plural(r.Schedules, "schedule", "schedules")
			f.Known = append(f.Known, fmt.Sprintf("%s; in %d of %s: %s (%s)", k.Finding, k.runs, of, k.Known, file))
		case k.recurred:
			f.Known = append(f.Known, fmt.Sprintf("%s; only in a new process: %s (%s)", k.Finding, k.Known, file))
		case lacks != "":
			f.Unsought = append(f.Unsought, file+" "+lacks)
		case !k.executed || r.Finding != nil || r.Stop != nil:
		case !k.applied && r.race && !k.Raced():
			f.Unsought = append(f.Unsought, file+" does not apply with -race")
		case k.applied:
			f.Fixed = append(f.Fixed, "delete "+file)
		default:
			f.Fixed = append(f.Fixed, "or changed so much that the schedule does not apply: delete "+file)
		}
	}
	return f
}

// lacks returns why tests that are built and executed with these flags cannot show a stored finding; an empty string means that they can.
func (s *Settings) lacks(f *schedulefile.Stored, race, noLeaks bool) string {
	flags := s.flags.Of(f.Test)
	switch {
	case !race && f.Raced():
		return "needs -race"
	case noLeaks && slices.Contains(f.Shows, string(testsched.Leak)):
		return "is a leak"
	case f.Flags != flags && f.Flags == "":
		return "needs a command without " + flags
	case f.Flags != flags:
		return "needs " + f.Flags
	}
	return ""
}

// conclude adds the known findings of an exploration to its report, and summarizes it.
func (s *Settings) conclude(u testsched.Unit, r *Result, report *Report, note string) *Report {
	text, hidden := "", report.Finding == "" && r.passed == 0
	for _, line := range s.knownFindings(r).Known {
		text += "macemc: " + summary.KnownPrefix(hidden) + line + "\n"
	}
	report.Quiet = r.First != nil && r.knows(r.First)
	switch {
	case report.Finding != "":
		note = cmp.Or(note, refer(s, u, r, report))
		report.Finding += r.unknown() + text
		if report.place == nil && r.Finding != nil {
			report.place = summary.PlaceOf(r.Finding, 0)
		}
		r.reported = report
		s.summarizeAs(summary.New, u, r, note)
	case text != "" && hidden:
		report.Finding = text
		s.summarizeAs(summary.Hidden, u, r, note)
	default:
		report.Known = text
		r.reported = report
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
