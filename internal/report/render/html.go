package render

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/sim"
)

var (
	//go:embed page.html
	pageSource string
	//go:embed page.css
	pageStyle string
)

// HTML writes the report as one self-contained page: it needs no network and no other files.
func HTML(w io.Writer, d *document.Document) error {
	r := d.Report
	p := pageData{
		Title: d.Title, Sentence: d.Sentence, Violation: d.Single(), Setting: document.Setting(r),
		Style: template.CSS(pageStyle), Coverage: d.Coverage, Facts: d.Facts, Tail: d.Tail, Commands: r.Commands,
		View: &eventgraph.View{},
	}
	if p.Violation {
		p.Deciding, p.Search = document.Deciding(r), document.Searched(r)
		p.Files = pathFiles(r)
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
	p.Violated, p.Code, p.Compared = terms(d.Violated), d.Code, terms(d.Compared)
	p.Causes = d.Causes
	if d.MoreCauses > 0 {
		p.MoreCauses = "and " + textfmt.Plural(d.MoreCauses, "more handler")
	}
	if d.Dead != nil && d.Dead.Last() > 0 {
		p.View = view(d)
	}
	return p.write(w)
}

// Exploration is a finding in a schedule of a test.
type Exploration struct {
	Title, Sentence    string // the test, and the finding
	Violated, Compared []document.Fact
	Code               *document.Code    // nil if unknown
	Run, Passing       *eventgraph.Graph // Passing is nil if no schedule is known to pass
	Common             int               // number of steps with which both runs begin
	Start              int               // step of Run to show first
	Options            eventgraph.Options
	Commands           report.Commands
	// Order has all goroutines in the order of their lanes, if Options select none. Ended is [eventgraph.View.Ended].
	Order []int
	Ended string
}

// HTML writes the finding as a self-contained page, like that of a report.
func (e *Exploration) HTML(w io.Writer) error {
	o := e.Options
	if o.Width == 0 {
		o.Width = pageWidth
	}
	p := pageData{
		Title: e.Title, Sentence: e.Sentence, Violation: true, Style: template.CSS(pageStyle),
		Violated: e.Violated, Code: e.Code, Compared: e.Compared, Commands: e.Commands,
		View: &eventgraph.View{OmitLive: true, Ended: e.Ended},
	}
	title := fmt.Sprintf("The schedule with the finding (%s)", textfmt.Plural(e.Run.Last(), "step"))
	p.View.Runs = append(p.View.Runs, eventgraph.Run{Title: title, Graph: e.Run, Options: e.ordered(o, e.Run), Start: e.Start})
	if e.Passing != nil {
		o.From, o.To = 0, 0
		p.View.Common = e.Common
		title := fmt.Sprintf("The nearest schedule that passes, equal through step %d (%s)", e.Common, textfmt.Plural(e.Passing.Last(), "step"))
		p.View.Runs = append(p.View.Runs, eventgraph.Run{Title: title, Graph: e.Passing, Options: e.ordered(o, e.Passing), Start: min(e.Common+1, e.Passing.Last())})
	}
	return p.write(w)
}

// ordered returns the options with all lanes of a graph in the order of e, unless they select lanes.
func (e *Exploration) ordered(o eventgraph.Options, g *eventgraph.Graph) eventgraph.Options {
	if o.Nodes != nil || e.Order == nil {
		return o
	}
	for _, id := range e.Order {
		if id < len(g.Nodes) {
			o.Nodes = append(o.Nodes, id)
		}
	}
	for id := range g.Nodes {
		if !slices.Contains(e.Order, id) {
			o.Nodes = append(o.Nodes, id)
		}
	}
	return o
}

// write writes the page, and sets Markup if View has runs.
func (p *pageData) write(w io.Writer) error {
	page, err := template.New("page").Parse(pageSource)
	if err != nil {
		return fmt.Errorf("report page: %w", err)
	}
	if len(p.View.Runs) > 0 {
		var brief strings.Builder
		if err := page.ExecuteTemplate(&brief, "brief", p); err != nil {
			return err
		}
		p.View.Aside = template.HTML(brief.String()) // escaped by the template
		if p.Markup, err = p.View.Markup(); err != nil {
			return err
		}
	}
	return page.Execute(textfmt.Printer(w), p)
}

// terms returns facts for the page, with labels without colons.
func terms(facts []document.Fact) []document.Fact {
	list := slices.Clone(facts)
	for i := range list {
		list[i].Label = strings.TrimSuffix(list[i].Label, ":")
	}
	return list
}

// pageData is the data of the page's template.
type pageData struct {
	Title, Sentence string
	Violation       bool
	Setting         string
	Deciding        string // what the finding depends on
	Search          string
	Style           template.CSS
	Facts           []document.Fact
	Violated        []document.Fact
	Code            *document.Code
	Compared        []document.Fact
	Causes          []*document.Code
	MoreCauses      string // empty if Causes has all
	Tail            string
	Repeats         []pageRepeat
	Coverage        []string
	Commands        report.Commands
	Files           []pageFile
	View            *eventgraph.View
	Markup          template.HTML // empty if no run is known
}

// pageRepeat is a kind of step in the tail of a dead run.
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

func pathFiles(r *report.Report) []pageFile {
	var files []pageFile
	for _, f := range []struct{ name, text string }{{"error.path", r.PathText}, {"live.path", r.LivePathText}} {
		if f.text == "" {
			continue
		}
		name, kind, content := f.name, "text/plain", []byte(f.text)
		if len(content) > mostPlain {
			var b bytes.Buffer
			w := gzip.NewWriter(&b)
			_, _ = w.Write(content) // a buffer has no errors
			_ = w.Close()
			name, kind, content = name+".gz", "application/gzip", b.Bytes()
		}
		url := "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(content)
		files = append(files, pageFile{name, template.URL(url)}) // trusted content, and base64
	}
	return files
}

// mostPlain is the size in bytes above which the page contains a path file compressed.
const mostPlain = 50_000

// MaxPageSteps is the maximum number of steps that a page shows around the marked step, in addition to those named
// in the text.
const MaxPageSteps = 500

// pageWidth is the width of the graph of a run in pixels.
const pageWidth = 770

// view shows both runs side by side, or the only one.
func view(d *document.Document) *eventgraph.View {
	r := d.Report
	v := &eventgraph.View{OmitLive: r.Critical == nil}
	mark := document.MarkedStep(r, d.Dead.Last())
	if d.Live != nil {
		v.Common = r.Critical.LiveCommon
	}
	v.Runs = append(v.Runs, pageRun("The run that "+ends(r), d.Dead, mark, pageWidth, d.DeadSteps, d.DeadNamed))
	if d.Live != nil {
		title := fmt.Sprintf("The nearest run that recovered, equal through step %d%s", v.Common, d.LiveViolates())
		v.Runs = append(v.Runs, pageRun(title, d.Live, min(d.LiveFrom, d.Live.Last()), pageWidth, d.LiveSteps, d.LiveNamed))
	}
	return v
}

func ends(r *report.Report) string {
	switch {
	case document.ByWalks(r):
		return "did not recover"
	case r.Critical != nil:
		return "never recovers"
	}
	if r.Kind == sim.Starvation {
		if r.Starved != nil && r.Starved.Round == 0 {
			return "ends, and leaves an obligation pending"
		}
		return "repeats forever, and leaves an obligation pending"
	}
	return "goes wrong"
}

// pageRun returns a run for the page: the steps around the marked one, and those named in the text.
func pageRun(title string, g *eventgraph.Graph, mark, width int, named ...[]int) eventgraph.Run {
	run := eventgraph.Run{Title: title, Graph: g, Start: mark, Options: eventgraph.Options{Width: width}}
	if g.Last() >= MaxPageSteps {
		// The steps before the mark matter more than those of the tail.
		from := max(0, min(mark-MaxPageSteps*7/10, g.Last()-MaxPageSteps+1))
		steps := slices.Concat(named...)
		for i := range MaxPageSteps {
			steps = append(steps, from+i)
		}
		slices.Sort(steps)
		run.Options.Steps = slices.Compact(steps)
		run.Title += fmt.Sprintf(" (steps %s to %s and those that are named, of %s)", textfmt.Number(from),
			textfmt.Number(from+MaxPageSteps-1), textfmt.Number(g.Last()))
	} else {
		run.Title += " (" + textfmt.Plural(g.Last(), "step") + ")"
	}
	return run
}
