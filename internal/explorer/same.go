package explorer

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/explorer/minimize"
	"github.com/macemc/macemc/internal/explorer/schedulefile"
	"github.com/macemc/macemc/internal/explorer/summary"
	"github.com/macemc/macemc/internal/testsched"
)

// confirmed stores the schedule of a finding, and reports it.
func confirmed(s *Settings, c *Config, m *minimize.Result, how string) *Report {
	file := s.store(c, m, true)
	how += alsoIn(c, m, s.shown)
	report := findingReport(s.explain(c, m, how, file))
	report.file, report.place = file, summary.PlaceOf(m.Outcome, m.Critical)
	if file != "" {
		report.place.Store(file, replayCommand(s, c, file))
	}
	if shows := slices.Compact(slices.Clone(m.Outcome.Shows)); file != "" && len(shows) > 1 { // the kind alone identifies no finding
		report.shows = testsched.Brief(strings.Join(shows, "\n"))
	}
	return report
}

// alsoIn names a stored file that has the same finding and differs in -race, which changes the schedule. shown returns the name of a file
// for people.
func alsoIn(c *Config, m *minimize.Result, shown func(file string) string) string {
	f := &schedulefile.Stored{Race: c.Race, Shows: m.Outcome.Shows}
	for _, g := range c.Corpus {
		if f.ButRaces(g) {
			with := "without"
			if g.Race {
				with = "with"
			}
			return fmt.Sprintf(" (the finding of %s, recorded %s -race)", shown(g.File), with)
		}
	}
	return ""
}

// refer shortens a report if an earlier test of the package has the same finding. It returns the note of such a test.
func refer(s *Settings, u testsched.Unit, r *Result, report *Report) (note string) {
	if report.shows == "" {
		return ""
	}
	for _, test := range slices.Sorted(maps.Keys(s.summary)) {
		if test != u.String() && s.summary[test].Shows == report.shows {
			note = "the same finding as in " + test
			report.Finding = fmt.Sprintf("macemc: %s; %s; %s\n", r.Finding.Title(), note, s.shown(report.file))
			report.shows = ""
			return note
		}
	}
	return ""
}
