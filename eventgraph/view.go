package eventgraph

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/replay"
)

var (
	//go:embed view.html
	viewMarkup string
	//go:embed view.css
	viewStyle string
	//go:embed view.js
	viewScript string
	//go:embed page.html
	pageMarkup string
)

// View is the interactive part of a page: the graphs of one run, or of several side by side, in which a step is
// selected by mouse, keys or search, and the states of the nodes after that step, with its changes and the
// differences from the other run. It needs no network.
type View struct {
	Runs []Run
	// Aside is placed beside the first graph, above the states.
	Aside template.HTML
	// Common is the number of common steps of the first two runs.
	Common int
	// OmitLive omits whether states are live, for runs in which that does not matter.
	OmitLive bool
	// Ended is the value of the only field of a goroutine that has ended. These states are folded; an empty value folds none.
	Ended string
}

// Run is a run in a [View].
type Run struct {
	Title string
	Graph *Graph
	// Options select the part to show. Only a positive Fold folds steps.
	Options Options
	Start   int // initially selected step
}

// mostExpanded limits the drawings with all ticks, in bytes, so that the page of a long run remains small.
const mostExpanded = 120_000

// Style and Script must be in a page with a view once.
func (*View) Style() template.CSS { return template.CSS(svgStyle + viewStyle) }
func (*View) Script() template.JS { return template.JS(viewScript) }

// Markup returns the HTML of the view.
func (v *View) Markup() (template.HTML, error) {
	t, err := template.New("view").Parse(viewMarkup)
	if err != nil {
		return "", fmt.Errorf("event graph: %w", err)
	}
	data := viewData{Common: v.Common, OmitLive: v.OmitLive, Goroutines: v.Runs[0].Graph.Goroutines}
	texts := interner{index: map[string]int{}}
	data.Ended = texts.of(v.Ended)
	var page struct {
		Legend []legendEntry
		Runs   []viewPanel
		Aside  template.HTML
		Data   *viewData
		Ticks  bool // whether some are folded
	}
	page.Aside = v.Aside
	expanded := 0 // bytes of the drawings with all ticks
	var graphs []*Graph
	for i := range v.Runs {
		graphs = append(graphs, v.Runs[i].Graph)
	}
	page.Legend = legend(graphs)
	for i := range v.Runs {
		r := &v.Runs[i]
		o := r.Options
		if o.Fold <= 0 {
			o.Fold = -1
		}
		panel := viewPanel{Index: i, Title: r.Title, Names: r.Graph.svgNames(o), Body: r.Graph.svgBody(o), LeftOut: r.Graph.leftOut(o)}
		if slices.ContainsFunc(r.Graph.segments(o), func(s segment) bool { return s.ticks != nil }) {
			all := o
			all.Expand = true
			if all.Steps != nil { // including those that complete folds
				all.Steps = r.Graph.steps(o)
			}
			body := r.Graph.svgBody(all)
			if expanded += len(body); expanded <= mostExpanded {
				panel.All, page.Ticks = body, true
			}
		}
		page.Runs = append(page.Runs, panel)
		data.Runs = append(data.Runs, r.data(o, &texts))
	}
	if len(v.Runs) == 2 {
		a, b := &v.Runs[0], &v.Runs[1]
		data.Runs[0].match(a.Graph.Align(b.Graph, v.Common))
		data.Runs[1].match(b.Graph.Align(a.Graph, v.Common))
	}
	for i := range v.Runs {
		data.addCode(v.Runs[i].Graph, &data.Runs[i], &texts)
	}
	data.Strings = texts.list
	page.Data = &data
	var b strings.Builder
	if err := t.Execute(&b, page); err != nil {
		return "", err
	}
	return template.HTML(b.String()), nil
}

// Image is an event graph as parts of a page, which has the style of a [View]: the names of the lanes, the steps with their numbers in
// data-step, and an explanation of the signs. The SVG escapes all text of the run.
type Image struct{ Names, Steps, Legend template.HTML }

// Image draws the graph with all ticks. Only a positive Fold folds steps.
func (g *Graph) Image(o Options) (Image, error) {
	o.Expand = true
	if o.Fold <= 0 {
		o.Fold = -1
	}
	t, err := template.New("view").Parse(viewMarkup)
	if err != nil {
		return Image{}, fmt.Errorf("event graph: %w", err)
	}
	var signs strings.Builder
	err = t.ExecuteTemplate(&signs, "legend", legend([]*Graph{g}))
	return Image{g.svgNames(o), g.svgBody(o), template.HTML(signs.String())}, err
}

type viewPanel struct {
	Index       int
	Title       string
	Names, Body template.HTML
	All         template.HTML // the body with all ticks; empty means that none are folded
	LeftOut     []leftOut     // steps that the body leaves out
}

// leftOut shows steps that a drawing leaves out, as text.
type leftOut struct {
	From, To int
	Text     string
}

// mostLeftOut limits the text of the steps that one drawing leaves out, in bytes.
const mostLeftOut = 40_000

// leftOut returns the steps that a drawing leaves out. Ticks and long quiet stretches are folded.
func (g *Graph) leftOut(o Options) (list []leftOut) {
	var gaps []segment
	var steps []int
	for _, s := range g.marked(o, g.segments(o)) {
		if s.leftOut {
			gaps, steps = append(gaps, s), append(steps, s.steps...)
		}
	}
	if gaps == nil {
		return nil
	}
	lines := g.Lines(Options{Steps: steps, Nodes: o.Nodes, Width: textWidth})
	header, room := lines[0].Text, mostLeftOut
	for _, s := range gaps {
		text := header
		for len(lines) > 0 && lines[0].From <= s.to() {
			l := lines[0]
			if lines = lines[1:]; l.To < s.from() { // also the header, and marks of gaps
				continue
			}
			switch room -= len(l.Text) + 1; {
			case room >= 0:
				text += "\n" + l.Text
			case room+len(l.Text)+1 >= 0:
				text += fmt.Sprintf("\n... and the steps up to %d", g.Events[s.to()].Step)
			}
		}
		list = append(list, leftOut{g.Events[s.from()].Step, g.Events[s.to()].Step, text})
	}
	return list
}

// textWidth is the width of text in a page, in columns.
const textWidth = 120

// viewData is the input of the script. Texts are indices into Strings, and states are differences, to keep long
// runs small.
type viewData struct {
	code       int       // bytes of Code
	Strings    []string  `json:"strings"`
	Common     int       `json:"common"`
	OmitLive   bool      `json:"unjudged,omitempty"`
	Goroutines bool      `json:"goroutines,omitempty"` // the lanes are goroutines
	Ended      int       `json:"ended,omitempty"`
	Runs       []viewRun `json:"runs"`
	// Code has the source around the places of steps, by the number of the place: the number of the first line, the index of the line of
	// the place, and the lines.
	Code map[int][3]int `json:"code,omitempty"`
}

type viewRun struct {
	first    int        // index of the event of the first of Steps
	Critical int        `json:"critical"`
	Found    int        `json:"found,omitempty"` // the step with the finding
	Start    int        `json:"start"`
	Nodes    []string   `json:"nodes"`
	Order    []int      `json:"order"`   // nodes as their states are shown: those with lanes first
	Initial  [][3]int   `json:"initial"` // node, field, value before the first step below
	Steps    []viewStep `json:"steps"`
	// Match has the counterpart in the other run of each of Steps, negative if it is another event.
	Match []int `json:"match,omitempty"`
}

// match sets Match.
func (d *viewRun) match(all []replay.Counterpart) {
	for i := range d.Steps {
		c := all[d.first+i]
		if !c.Same {
			c.Step = -c.Step
		}
		d.Match = append(d.Match, c.Step)
	}
}

type viewStep struct {
	Number  int      `json:"n"`
	Text    int      `json:"t,omitempty"`
	Source  int      `json:"s,omitempty"`
	Node    int      `json:"o"`
	Changes [][4]int `json:"c,omitempty"` // node, field, old, new
	Lines   []int    `json:"l,omitempty"`
	Causes  []int    `json:"p,omitempty"`
	Live    bool     `json:"v,omitempty"`
	Broke   []int    `json:"b,omitempty"`
	Mended  []int    `json:"m,omitempty"`
	Error   int      `json:"e,omitempty"`
}

// interner numbers texts; 0 is the empty one.
type interner struct {
	index map[string]int
	list  []string
}

func (t *interner) of(s string) int {
	if len(t.list) == 0 {
		t.list, t.index[""] = []string{""}, 0
	}
	i, ok := t.index[s]
	if !ok {
		i = len(t.list)
		t.index[s], t.list = i, append(t.list, s)
	}
	return i
}

func (t *interner) all(list []string) []int {
	var out []int
	for _, s := range list {
		out = append(out, t.of(s))
	}
	return out
}

// data covers all steps from the first that is shown to the last. Of others between them it has what leads from state to state.
func (r *Run) data(o Options, t *interner) viewRun {
	g := r.Graph
	d := viewRun{Critical: g.Critical, Found: g.Events[g.found].Step, Start: r.Start, Initial: [][3]int{}, Steps: []viewStep{}}
	for i := range g.Nodes {
		d.Nodes = append(d.Nodes, g.heading(g.Nodes[i]))
		if o.lane(i) < 0 {
			d.Order = append(d.Order, i)
		}
	}
	lanes := []int{}
	for _, n := range g.shown(o) {
		lanes = append(lanes, n.ID)
	}
	d.Order = append(lanes, d.Order...)
	segments := g.segments(o)
	if len(segments) == 0 {
		return d
	}
	from, to := segments[0].from(), segments[len(segments)-1].to()
	d.first = from
	for _, f := range g.stateBefore(from) {
		d.Initial = append(d.Initial, [3]int{f.Node, t.of(f.Path), t.of(f.New)})
	}
	shown := map[int]bool{}
	for _, s := range segments {
		for _, step := range s.steps {
			shown[step] = true
		}
	}
	for i := from; i <= to; i++ {
		e := &g.Events[i]
		s := viewStep{Number: e.Step, Node: e.Node, Causes: e.Causes}
		if shown[i] {
			s = viewStep{
				Number: e.Step, Text: t.of(e.Text), Source: t.of(e.Source), Node: e.Node,
				Lines: t.all(e.detail()), Causes: e.Causes, Live: e.Live,
				Broke: t.all(e.Broke), Mended: t.all(e.Mended), Error: t.of(e.errorLine()),
			}
		}
		for _, c := range e.Changes {
			s.Changes = append(s.Changes, [4]int{c.Node, t.of(c.Path), t.of(c.Old), t.of(c.New)})
		}
		d.Steps = append(d.Steps, s)
	}
	return d
}

// Bounds of the source in a page: the lines before and after that of a step, and all of it in bytes.
const (
	linesAround = 3
	mostCode    = 60_000
)

// addCode adds the source around the places of the steps of a run, each once. It omits places whose source is not at hand.
func (d *viewData) addCode(g *Graph, of *viewRun, t *interner) {
	if d.Code == nil {
		d.Code = map[int][3]int{}
	}
	for i := range of.Steps {
		place, step := of.Steps[i].Source, of.first+i
		if _, ok := d.Code[place]; ok || place == 0 || step < 1 || step > len(g.trace.Steps) {
			continue
		}
		first, lines, err := g.trace.Steps[step-1].Code(linesAround)
		text := strings.Join(lines, "\n")
		if d.code += len(text); err != nil || d.code > mostCode {
			continue
		}
		_, line := g.trace.Steps[step-1].Place()
		d.Code[place] = [3]int{first, line - first, t.of(text)}
	}
}

// stateBefore returns the fields of all nodes before a step, in order of appearance.
func (g *Graph) stateBefore(step int) []replay.NodeChange {
	index := map[place]int{}
	var fields []replay.NodeChange
	set := func(changes []replay.NodeChange) {
		for _, c := range changes {
			at := place{c.Node, c.Path}
			i, ok := index[at]
			if !ok {
				i = len(fields)
				index[at], fields = i, append(fields, replay.NodeChange{Node: c.Node, Path: c.Path, Part: c.Part})
			}
			fields[i].New = c.New
		}
	}
	set(g.Initial)
	for i := 1; i < step; i++ {
		set(g.Events[i].Changes)
	}
	return slices.DeleteFunc(fields, func(f replay.NodeChange) bool { return f.New == "" })
}

// HTML writes the graph as a self-contained page, with the states of the nodes after every step. Only a positive
// Fold folds steps.
func (g *Graph) HTML(w io.Writer, o Options) error {
	t, err := template.New("page").Parse(pageMarkup)
	if err != nil {
		return fmt.Errorf("event graph: %w", err)
	}
	first, last := max(o.From, 1), g.Last()
	if o.To > 0 {
		last = min(o.To, last)
	}
	title := fmt.Sprintf("%d steps", g.Last())
	if o.Steps == nil && first <= last && last-first+1 < g.Last() {
		title = fmt.Sprintf("steps %d to %d", g.Events[first].Step, g.Events[last].Step)
	}
	start := g.Critical
	if start == 0 && first <= last {
		start = g.Events[first].Step
	}
	v := &View{OmitLive: g.Goroutines, Runs: []Run{{Title: title, Graph: g, Options: o, Start: start}}}
	markup, err := v.Markup()
	if err != nil {
		return err
	}
	return t.Execute(w, struct {
		Title  string
		View   *View
		Markup template.HTML
	}{g.System, v, markup})
}
