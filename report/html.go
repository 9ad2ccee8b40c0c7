package report

import (
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/search"
)

var (
	//go:embed page.html
	pageSource string
	//go:embed page.css
	pageStyle string
)

// HTML writes the report as one page that needs nothing else: no network, no other files.
func HTML(w io.Writer, r *Report) error {
	page, err := template.New("page").Parse(pageSource)
	if err != nil {
		return fmt.Errorf("report page: %w", err)
	}
	s := r.summarise()
	p := pageData{
		Title: s.title, Sentence: s.sentence, Violation: r.Verdict == search.Violation, Setting: r.setting(),
		Style: template.CSS(pageStyle), Coverage: s.coverage, Tail: s.tail, Difference: s.difference, Commands: r.Commands,
		View: &eventgraph.View{},
	}
	if p.Violation {
		p.Search = r.searched()
		p.Files = r.pathFiles()
	}
	for _, f := range s.facts {
		p.Facts = append(p.Facts, pageFact{f.label, f.text, f.aside})
	}
	if c := r.Critical; c != nil && !c.OutOfEvents {
		const most = 4
		for i, repeat := range c.Tail.Repeats {
			if i == most {
				p.Repeats = append(p.Repeats, pageRepeat{Event: fmt.Sprintf("and %d more", len(c.Tail.Repeats)-most)})
				break
			}
			p.Repeats = append(p.Repeats, pageRepeat{repeat.Event, number(repeat.Count), changesOf(repeat.Count, repeat.Changes)})
		}
	}
	if s.dead != nil && s.dead.Last() > 0 {
		p.View = s.view(r)
		if p.Markup, err = p.View.Markup(); err != nil {
			return err
		}
	}
	return page.Execute(w, p)
}

type pageData struct {
	Title, Sentence string
	Violation       bool
	Setting         string
	Search          string
	Style           template.CSS
	Facts           []pageFact
	Tail            string
	Repeats         []pageRepeat
	Difference      string
	Coverage        []string
	Commands        Commands
	Files           []pageFile
	View            *eventgraph.View
	Markup          template.HTML // "": no run is known
}

type pageFact struct{ Label, Text, Aside string }

// Folded reports whether the aside is long, like a line for each node.
func (f pageFact) Folded() bool { return strings.Count(f.Aside, "\n") > 0 }

// pageRepeat is one kind of step that goes on for ever.
type pageRepeat struct{ Event, Count, Changes string }

// pageFile is a file that the page contains.
type pageFile struct {
	Name string
	URL  template.URL
}

func changesOf(count, changes int) string {
	switch changes {
	case 0:
		return "changes nothing"
	case count:
		return "changes its node each time"
	}
	return fmt.Sprintf("changes its node %s times", number(changes))
}

func (r *Report) pathFiles() []pageFile {
	var files []pageFile
	for _, f := range []struct{ name, text string }{{"error.path", r.PathText}, {"live.path", r.LivePathText}} {
		if f.text != "" {
			url := "data:text/plain;base64," + base64.StdEncoding.EncodeToString([]byte(f.text))
			files = append(files, pageFile{f.name, template.URL(url)}) // ours, and base64
		}
	}
	return files
}

// maxPageSteps is how many steps of a run a page shows at most, around the step that matters.
const maxPageSteps = 500

// view shows both runs side by side, or the one there is.
func (s *summary) view(r *Report) *eventgraph.View {
	v := &eventgraph.View{}
	mark := s.dead.Critical
	if mark == 0 {
		mark = s.dead.Last()
	}
	width := 0
	if s.live != nil {
		width = 720
		v.Common = r.Critical.LiveCommon
	}
	v.Runs = append(v.Runs, pageRun("The run that "+ends(r), s.dead, mark, width))
	if s.live != nil {
		title := fmt.Sprintf("The nearest run that recovers: the same until step %d", v.Common)
		v.Runs = append(v.Runs, pageRun(title, s.live, min(s.liveFrom, s.live.Last()), width))
	}
	return v
}

func ends(r *Report) string {
	if r.Critical != nil {
		return "never recovers"
	}
	return "goes wrong"
}

func pageRun(title string, g *eventgraph.Graph, mark, width int) eventgraph.Run {
	run := eventgraph.Run{Title: title, Graph: g, Start: mark, Options: eventgraph.Options{Width: width}}
	if g.Last() >= maxPageSteps {
		// What came before matters more than what goes on for ever.
		from := max(0, min(mark-maxPageSteps*7/10, g.Last()-maxPageSteps+1))
		run.Options.From, run.Options.To = from, from+maxPageSteps-1
		run.Title += fmt.Sprintf(" (steps %s to %s of %s)", number(run.Options.From), number(run.Options.To), number(g.Last()))
	} else {
		run.Title += " (" + plural(g.Last(), "step") + ")"
	}
	return run
}
