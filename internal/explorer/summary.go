package explorer

import (
	"cmp"
	"strings"

	"github.com/macemc/macemc/internal/explorer/summary"
	"github.com/macemc/macemc/internal/explorer/systematic"
	"github.com/macemc/macemc/internal/testsched"
)

// summarize updates the package's summary for the command.
func (s *Settings) summarize(u testsched.Unit, r *Result, note string) {
	kind := summary.SampledOnly
	if r.Complete != nil && r.Missing == "" {
		if kind = summary.Complete; r.Complete.Drawn != 0 {
			kind = summary.CompleteFor
		}
	}
	s.summarizeAs(kind, u, r, note)
}

func (s *Settings) summarizeAs(kind string, u testsched.Unit, r *Result, note string) {
	if s.Summaries == "" {
		return
	}
	test := u.String()
	if old := s.summary[test]; old != nil && old.Kind == summary.New && (kind == summary.Hidden || kind == summary.Damaged) {
		kind = summary.New // an earlier execution of the same test, as with -count, has failed
	}
	t := &summary.Test{Test: test, Kind: kind, Note: note, Schedules: r.Schedules, Elapsed: r.Elapsed, Preemptions: systematic.Unbounded, Delays: r.Delays,
		Saved: r.Saved, Short: s.limits.cutShort(r), Reported: r.reportedTo(), KnownFindings: s.knownFindings(r)}
	if r.Finding == nil && !r.Ended {
		t.Delayed = r.predictions.delayNote()
	}
	if kind == summary.Complete || kind == summary.CompleteFor {
		t.Preemptions = r.Complete.Preemptions
	}
	t.Sampled = kind == summary.SampledOnly && r.Complete == nil && !r.Exhaustive && r.Orders > 1
	t.Unsaturated = t.Sampled && r.knownShare() < fewNewOrders
	if n := r.predictions.counts(r.Finding); n.Predicted > 0 {
		t.Predictions = n
	}
	s.summary[test] = t
	summary.Write(s.Summaries, u.Package, s.summary)
}

// reportedTo returns the part of a summary that the report and the findings make up.
func (r *Result) reportedTo() (s summary.Reported) {
	s.Skipped = r.First != nil && r.First.Skipped
	switch p := r.reported; {
	case p == nil:
	case p.place != nil:
		s.Finding, s.Shows, s.Place = p.Finding, p.shows, p.place
	default:
		s.Text = cmp.Or(p.Note, p.Known)
	}
	for _, k := range r.known {
		if k.recurred {
			kind, _, _ := strings.Cut(k.Finding, ":")
			p := &summary.Place{Kind: strings.ToLower(kind), Title: k.Finding, Known: k.Known}
			p.Store(k.File, "")
			s.Accepted = append(s.Accepted, p)
		}
	}
	return s
}

// announce adds a line for immediate display.
func (s *Settings) announce(line string) {
	if s.Summaries != "" && s.Outcome == "" {
		summary.Announce(s.Summaries, line)
	}
}
