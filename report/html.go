package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"path"
	"strings"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/replay"
	"github.com/macemc/macemc/search"
)

//go:embed page.html
var pageSource string

// HTML writes the report as one page that needs nothing else: no network, no other files.
func HTML(w io.Writer, r *Report) error {
	page, err := template.New("page").Parse(pageSource)
	if err != nil {
		return fmt.Errorf("report page: %w", err)
	}
	s := r.summarise()
	p := pageData{
		Title: s.title, Violation: r.Verdict == search.Violation, Setting: r.setting(), Coverage: s.coverage,
		Tail: s.tail, Difference: s.difference, Commands: r.Commands,
	}
	if p.Violation {
		p.Search = fmt.Sprintf("strategy %s, seed %d; found after %s paths and %s events",
			r.Strategy, r.Seed, number(r.Paths), number(r.Events))
	}
	for _, f := range s.facts {
		p.Facts = append(p.Facts, pageFact{f.label, f.text, f.aside})
	}
	if s.dead != nil {
		run, err := newPageRun("dead", "The violating run", r.Dead, s.dead, s.dead.Critical)
		if err != nil {
			return err
		}
		p.Runs = append(p.Runs, run)
	}
	if s.live != nil {
		title := fmt.Sprintf("The nearest run that recovered, from step %d", s.liveFrom)
		run, err := newPageRun("live", title, r.Live, s.live, s.liveFrom)
		if err != nil {
			return err
		}
		p.Runs = append(p.Runs, run)
	}
	return page.Execute(w, p)
}

type pageData struct {
	Title      string
	Violation  bool
	Setting    string
	Search     string
	Facts      []pageFact
	Tail       string
	Difference string
	Coverage   []string
	Runs       []pageRun
	Commands   Commands
}

type pageFact struct{ Label, Text, Aside string }

type pageRun struct {
	ID    string
	Title string
	Note  string
	Graph template.HTML
	Steps []pageStep
}

type pageStep struct {
	Number  int
	Text    string
	Source  string
	Mark    string // "critical", "differs" or ""
	State   string // what the state after it is: "live", "not live: ..."
	Lines   []string
	Changed string
}

// maxPageSteps is how many steps of a run a page shows at most, around the step that matters.
const maxPageSteps = 400

// newPageRun makes the part of the page about one run; mark is the step that matters, 0: the last.
func newPageRun(id, title string, t *replay.Trace, g *eventgraph.Graph, mark int) (pageRun, error) {
	run := pageRun{ID: id, Title: title}
	from, to := 0, len(t.Steps)
	if mark == 0 {
		mark = to
	}
	if to-from+1 > maxPageSteps {
		from = max(0, mark-maxPageSteps/2)
		to = min(len(t.Steps), from+maxPageSteps-1)
		run.Note = fmt.Sprintf("steps %s to %s of %s", number(from), number(to), number(len(t.Steps)))
	}
	var svg strings.Builder
	if err := g.SVG(&svg, eventgraph.Options{From: from, To: to}); err != nil {
		return run, err
	}
	run.Graph = template.HTML(svg.String()) // SVG escapes every text that stems from the run
	for n := max(from, 1); n <= to; n++ {
		s := &t.Steps[n-1]
		step := pageStep{Number: n, Text: s.Sentence(), Source: path.Base(s.Source), Lines: detail(s)}
		if s.Source == "" {
			step.Source = ""
		}
		switch {
		case id == "dead" && n == g.Critical:
			step.Mark = "critical"
		case id == "live" && n == mark:
			step.Mark = "differs"
		}
		step.State = "live"
		if !s.Live {
			step.State = "not live: " + strings.Join(s.Failing, "; ")
		}
		step.Changed = changed(s)
		run.Steps = append(run.Steps, step)
	}
	return run, nil
}

// changed sums up what a step changed, without timers and counters.
func changed(s *replay.TraceStep) string {
	var parts []string
	for _, c := range s.Changes {
		if !c.Bookkeeping() {
			parts = append(parts, c.Short())
		}
	}
	return strings.Join(parts, ", ")
}

// detail lists what a step did, for a reader who opens it.
func detail(s *replay.TraceStep) []string {
	var lines []string
	for _, c := range s.Choices {
		if replay.Notable(c) {
			lines = append(lines, fmt.Sprintf("choice %s: %d of %d", c.Label, c.Pick, c.Arity))
		}
	}
	for _, e := range s.Effects {
		text := strings.TrimSpace(e.Kind + " " + e.Text)
		if e.Peer >= 0 {
			text += fmt.Sprintf(" to n%d", e.Peer)
		}
		if !e.Applied {
			text += " (did not happen)"
		}
		if e.From != "" {
			text += "  " + path.Base(e.From)
		}
		lines = append(lines, text)
	}
	for _, c := range s.Changes {
		lines = append(lines, fmt.Sprintf("n%d.%s: %s -> %s", c.Node, c.Path, orNone(c.Old), orNone(c.New)))
	}
	return lines
}
