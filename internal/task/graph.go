package task

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/mdb"
)

// Graph draws the event graph of a run. Its fields are the flags of the command of that name.
type Graph struct {
	File                   string
	Format, Nodes, Classes string
	From, To, Critical     int
	Fold, Width            int
	Notes                  bool
	Out                    Output
	Given                  Given
}

// graphFormats are the formats of graph, by the ending of a file's name.
func graphFormats() [][2]string {
	return [][2]string{
		{".txt", "text"}, {".svg", "svg"}, {".html", "html"}, {".mmd", "mermaid"}, {".dot", "dot"}, {".json", "json"}, {".log", "shiviz"},
	}
}

// GraphFormats are the formats that a graph can be written in.
func GraphFormats() []string {
	var names []string
	for _, f := range graphFormats() {
		names = append(names, f[1])
	}
	return names
}

// options makes sense of the flags, as far as that needs no run.
func (f *Graph) options() (o eventgraph.Options, err error) {
	for _, n := range []struct {
		name  string
		value int
	}{{"from", f.From}, {"to", f.To}, {"fold", f.Fold}, {"width", f.Width}, {"critical", f.Critical}} {
		if n.value < 0 {
			return o, fmt.Errorf("--%s is %d, must not be negative", n.name, n.value)
		}
	}
	if f.Format, err = formatOf(f.Format, f.Out.File, graphFormats()); err != nil {
		return o, err
	}
	o = eventgraph.Options{From: f.From, To: f.To, Width: f.Width, Notes: f.Notes, Fold: f.Fold}
	if f.Given.Has("fold") && f.Fold == 0 {
		o.Fold = -1
	}
	if f.Nodes != "" {
		for word := range strings.SplitSeq(f.Nodes, ",") {
			n, err := strconv.Atoi(strings.TrimPrefix(strings.TrimSpace(word), "n"))
			if err != nil {
				return o, fmt.Errorf("--nodes %q is not a list of numbers like 0,2", f.Nodes)
			}
			o.Nodes = append(o.Nodes, n)
		}
	}
	if f.Classes != "" {
		if o.Classes, err = eventgraph.ParseClasses(f.Classes); err != nil {
			return o, fmt.Errorf("--classes: %w", err)
		}
	}
	return o, f.Out.Check()
}

// mostDrawn is how many steps an image or a page may have.
const mostDrawn = 5000

// Validate implements [Task].
func (f *Graph) Validate() error {
	_, err := f.options()
	return err
}

// Do implements [Task].
func (f *Graph) Do(ctx context.Context, p *Process) error {
	file := f.File
	o, err := f.options()
	if err != nil {
		return err
	}
	l, done, err := p.load(ctx, file)
	if done || err != nil {
		return err
	}
	t, err := l.Trace(-1)
	if err != nil {
		return err
	}
	outdated := l.Outdated(t)
	g := eventgraph.Build(t)
	if err := g.Check(o); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if f.Critical > g.Last() {
		return fmt.Errorf("%s: there is no step %d to mark; the run has %d", file, f.Critical, g.Last())
	}
	if g.Critical = f.Critical; f.Critical == 0 && outdated == nil {
		if r := mdb.ReadRecorded(file); r.Steps == g.Last() && r.Step <= g.Last() {
			g.Critical = r.Step
		}
	}
	if f.Format == "svg" || f.Format == "html" {
		last := o.To
		if last == 0 {
			last = g.Last()
		}
		if n := last - o.From + 1; n > mostDrawn {
			return fmt.Errorf("%s: %d steps are too many for %s, at most %d can be read; choose some with --from and --to",
				file, n, f.Format, mostDrawn)
		}
	}
	dot := func(d eventgraph.Diagram) (string, error) { return p.Front.Dot(d) }
	err = p.write(f.Out, func(w io.Writer) error { return g.Write(w, f.Format, o, dot) })
	switch {
	case err != nil || outdated == nil:
		return err
	case len(l.Moved) > 0: // which was said when it was loaded
		return Exit(check.StatusUsage)
	}
	return fmt.Errorf("%s: %w", file, outdated)
}
