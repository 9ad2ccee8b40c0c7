package report

import (
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
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
			p.Repeats = append(p.Repeats, pageRepeat{repeat.Event, textfmt.Number(repeat.Count), changesOf(repeat.Count, repeat.Changes)})
		}
	}
	p.Brief = s.brief(r)
	if s.dead != nil && s.dead.Last() > 0 {
		p.View = s.view(r)
		var brief strings.Builder
		if err := page.ExecuteTemplate(&brief, "brief", p.Brief); err != nil {
			return err
		}
		p.View.Aside = template.HTML(brief.String()) // escaped by the template
		if p.Markup, err = p.View.Markup(); err != nil {
			return err
		}
	}
	return page.Execute(textfmt.Printer(w), p)
}

type pageData struct {
	Title, Sentence string
	Violation       bool
	Setting         string
	Search          string
	Style           template.CSS
	Facts           []pageFact
	Brief           []pageFact // at most mostBrief
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

// mostBrief is how many lines the summary of a page has at most, and briefLetters how long they are.
const mostBrief, briefLetters = 5, 150

// brief is what a reader has to know first: where it went wrong, how that is known, what the step did, and
// what the live run does instead.
func (s *summary) brief(r *Report) []pageFact {
	var lines []pageFact
	add := func(label, text string) {
		if text != "" && len(lines) < mostBrief {
			lines = append(lines, pageFact{Label: label, Text: textfmt.Cut(text, briefLetters)})
		}
	}
	place := ""
	for _, f := range s.facts {
		if f.label == "handler:" {
			place = "  [" + f.text + "]"
		}
	}
	before := "" // what gives way to all else
	for _, f := range s.facts {
		switch label := strings.TrimSuffix(f.label, ":"); {
		case strings.HasPrefix(label, "since"):
			text := f.text
			if c := r.Critical; c != nil && c.Step > 0 && len(text) > 80 {
				text = strings.Join(shortWords(text), " ")
			}
			add(label, text+place)
			add("because", r.Critical.because(f.aside))
		case label == "effect":
			add(label, f.text)
			before = f.aside
		case label == "live run":
			add(label, f.text)
		case label == "where to look":
			add(label, f.text)
		case r.Starved != nil && slices.Contains([]string{"forever", "unfair", "recovery"}, label):
			add(label, strings.TrimSuffix(f.text+": "+f.aside, ": "))
		case label == "at step", label == "violated" && r.Kind == sim.Safety, label == "panic", label == "diverges", label == "mismatch",
			label == "deadlock" && r.Critical == nil, // else the title says it
			label == "in" || strings.HasPrefix(label, "at step "):
			if text := f.text; label == "violated" && f.aside != "" {
				add(label, text+": "+f.aside)
				continue
			}
			add(label, strings.TrimSpace(f.text+"  "+f.aside))
		}
	}
	add("first difference", s.difference)
	add("before it", before)
	return lines
}

// because says how it is known that a run is dead: whether that is proven, and what the walks did, which aside says.
func (c *Critical) because(aside string) string {
	walks := strings.TrimSuffix(strings.TrimPrefix(aside, "CRITICAL: "), ")")
	switch c.Proof {
	case critical.Exact:
		return "proven; " + walks
	case critical.Walks:
		return "not proven; " + walks
	}
	return walks
}

// shortWords leaves out what stands between braces.
func shortWords(text string) []string {
	var b strings.Builder
	depth := 0
	for _, c := range text {
		switch c {
		case '{':
			depth++
		case '}':
			depth--
			continue
		}
		if depth == 0 {
			b.WriteRune(c)
		}
	}
	return strings.Fields(b.String())
}

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
	return fmt.Sprintf("changes its node %s times", textfmt.Number(changes))
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

// MaxPageSteps is how many steps of a run a page shows at most, around the step that matters.
const MaxPageSteps = 500

// view shows both runs side by side, or the one there is.
func (s *summary) view(r *Report) *eventgraph.View {
	v := &eventgraph.View{Unjudged: r.Critical == nil}
	mark := r.mark(s.dead.Last())
	const width = 770
	if s.live != nil {
		v.Common = r.Critical.LiveCommon
	}
	v.Runs = append(v.Runs, pageRun("The run that "+ends(r), s.dead, mark, width))
	if s.live != nil {
		title := fmt.Sprintf("The nearest run that recovers: the same until step %d%s", v.Common, r.Critical.liveViolates())
		v.Runs = append(v.Runs, pageRun(title, s.live, min(s.liveFrom, s.live.Last()), width))
	}
	return v
}

func ends(r *Report) string {
	if r.Critical != nil {
		return "never recovers"
	}
	if r.Kind == sim.Starvation {
		return "repeats forever, and leaves an obligation pending"
	}
	return "goes wrong"
}

func pageRun(title string, g *eventgraph.Graph, mark, width int) eventgraph.Run {
	run := eventgraph.Run{Title: title, Graph: g, Start: mark, Options: eventgraph.Options{Width: width}}
	if g.Last() >= MaxPageSteps {
		// What came before matters more than what goes on for ever.
		from := max(0, min(mark-MaxPageSteps*7/10, g.Last()-MaxPageSteps+1))
		run.Options.From, run.Options.To = from, from+MaxPageSteps-1
		run.Title += fmt.Sprintf(" (steps %s to %s of %s)", textfmt.Number(run.Options.From), textfmt.Number(run.Options.To), textfmt.Number(g.Last()))
	} else {
		run.Title += " (" + textfmt.Plural(g.Last(), "step") + ")"
	}
	return run
}
