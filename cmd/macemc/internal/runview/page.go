package runview

import (
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/explorer/minimize"
	"github.com/macemc/macemc/internal/explorer/schedulefile"
	"github.com/macemc/macemc/internal/history"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/internal/testsched"
)

// Page returns what a page shows of a run under the schedule of a file. passes is the nearest passing run; nil means that none is known.
func Page(file string, s *schedulefile.Stored, o, passes *testsched.Outcome) *render.Exploration {
	trace := pageTrace(s.Test, o)
	e := &render.Exploration{Title: s.Test + " of " + s.Package, Sentence: o.Title(), Run: eventgraph.Build(trace)}
	e.Commands.Look = "macemc mdb " + file
	run := history.Recorded("", trace, trace.Nodes)
	run.Critical = s.Critical(o.Trace)
	e.Order, e.Ended = run.Order(), history.StatusEnded
	pair := markRace(e.Run, o)
	for i, d := range o.Details {
		f := document.Fact{Text: d}
		if i == 0 {
			f.Label = detailLabel(o.Kind)
		}
		if len(pair) > 0 && !strings.HasPrefix(d, " ") { // an access, and not a call that leads to it
			f.Aside = fmt.Sprintf("step %d, g%d", pair[0]+1, o.Trace[pair[0]].Number)
			pair = pair[1:]
		}
		e.Violated = append(e.Violated, f)
	}
	if k := s.Critical(o.Trace); k > 0 {
		e.Code = document.Around(&trace.Steps[k-1])
		e.Violated = append(e.Violated, document.Fact{Label: "critical step", Text: fmt.Sprintf("step %d: %s", k, o.Trace[k-1])})
		e.Compared = append(e.Compared, document.Fact{Label: "certainty", Text: minimize.Certainty()})
	}
	e.Start = e.Run.Last()
	if k := testsched.Decisive(o, 0); e.Code == nil && k > 0 {
		e.Code, e.Start = document.Around(&trace.Steps[k-1]), k
	}
	if passes == nil || passes.Untraced != o.Untraced {
		return e
	}
	Renumber(passes, o)
	for e.Common < min(len(o.Trace), len(passes.Trace)) && o.Trace[e.Common].Same(passes.Trace[e.Common]) {
		e.Common++
	}
	e.Passing = eventgraph.Build(pageTrace(s.Test, passes))
	at := func(o *testsched.Outcome) string {
		if e.Common < len(o.Trace) {
			return o.Trace[e.Common].String()
		}
		return "the end of the test"
	}
	e.Compared = append([]document.Fact{
		{Label: fmt.Sprintf("step %d", e.Common+1), Text: at(o)},
		{Label: "passing run", Text: at(passes), Aside: "the first difference of the nearest schedule that passes"},
	}, e.Compared...)
	return e
}

// markRace marks the two steps that access the same memory in a data race, and returns the indices of their events: that of the first
// detail of the finding, and the earlier one. It returns nil if they are not known.
func markRace(g *eventgraph.Graph, o *testsched.Outcome) []int {
	accesses := o.Accesses()
	if o.Kind != testsched.Race || len(accesses) < 2 {
		return nil
	}
	access := func(e *testsched.Event, detail string) bool {
		detail = strings.TrimPrefix(detail, "previous ")
		verb, place, _ := strings.Cut(detail, " at ")
		place, _, _ = strings.Cut(place, " in ")
		return e.Object != "" && e.At == place && e.Op.String() == verb+"s"
	}
	for i := range slices.Backward(o.Trace) {
		last := &o.Trace[i]
		if !access(last, accesses[0]) {
			continue
		}
		for j := range slices.Backward(o.Trace[:i]) {
			if e := &o.Trace[j]; e.Object == last.Object && e.Number != last.Number && access(e, accesses[1]) {
				g.SetRace(j+1, i+1)
				return []int{i, j}
			}
		}
	}
	return nil
}

// detailLabel returns the label of the details of a finding.
func detailLabel(k testsched.Kind) string {
	switch k {
	case testsched.Deadlock, testsched.Leak, testsched.NoEnd:
		return "at the end"
	case testsched.Race:
		return "accesses"
	}
	return "details"
}

// pageTrace returns Trace for a graph with states beside it: of the changes, the graph shows that the goroutine of a step waits
// after it.
func pageTrace(test string, o *testsched.Outcome) *replay.Trace {
	t := Trace(test, o)
	for i := range t.Steps {
		s := &t.Steps[i]
		waits := slices.ContainsFunc(s.Changes, func(c replay.NodeChange) bool {
			return c.Node == s.Node && c.Path == history.PathStatus && c.New != "runs" && c.New != history.StatusEnded &&
				!strings.HasPrefix(c.New, history.StatusCanRun)
		})
		for j := range s.Changes {
			c := &s.Changes[j]
			if !waits || c.Node != s.Node || c.Path != history.PathStatus && c.Path != history.PathHolder && c.Path != history.PathWriter {
				c.Part.Kind = replay.Position
			}
		}
	}
	return t
}
