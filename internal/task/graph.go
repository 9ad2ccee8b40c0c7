package task

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/outfile"
	"github.com/macemc/macemc/mdb"
)

// Graph draws the event graph of a run. Its fields are the flags of the command with that name.
type Graph struct {
	File                   string
	Format, Nodes, Classes string
	From, To, Critical     int
	Steps                  []int // shown steps, ascending; nil means From to To
	Fold, Width            int
	Notes                  bool
	Out                    outfile.Output
	Given                  Given
}

// options converts the flags to options, except for those that depend on the run.
func (f *Graph) options() (o eventgraph.Options, err error) {
	for _, n := range []struct {
		name  string
		value int
	}{{"from", f.From}, {"to", f.To}, {"fold", f.Fold}, {"width", f.Width}, {"critical", f.Critical}} {
		if n.value < 0 {
			return o, fmt.Errorf("--%s is %d, must not be negative", n.name, n.value)
		}
	}
	o = eventgraph.Options{From: f.From, To: f.To, Steps: f.Steps, Width: f.Width, Notes: f.Notes, Fold: f.Fold}
	if f.Given.Has("fold") && f.Fold == 0 {
		o.Fold, o.Expand = -1, true
	}
	if f.Nodes != "" {
		for word := range strings.SplitSeq(f.Nodes, ",") {
			word = strings.TrimSpace(word)
			n, err := strconv.Atoi(strings.TrimLeft(word, "ng"))
			if err != nil {
				return o, fmt.Errorf("--nodes %q is not a list of numbers like 0,2, or of goroutines like g1,g3", f.Nodes)
			}
			if strings.HasPrefix(word, "g") {
				n--
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

// Validate implements [Task].
func (f *Graph) Validate() error {
	if _, err := f.options(); err != nil {
		return err
	}
	_, err := eventgraph.Formats().Choose(f.Format, f.Out.File)
	return err
}

// Do implements [Task].
func (f *Graph) Do(ctx context.Context, p *Process) error {
	l, done, err := p.load(ctx, f.File)
	if done || err != nil {
		return err
	}
	t, err := l.Trace(-1)
	if err != nil {
		return err
	}
	outdated := l.Outdated(t)
	g := eventgraph.Build(t)
	if outdated == nil {
		if r := mdb.ReadCriticalTransition(f.File); r.Steps == g.Last() && r.Step <= g.Last() {
			g.Critical = r.Step
		}
	}
	switch err := f.Draw(p, g, nil); {
	case err != nil || outdated == nil:
		return err
	case len(l.Moved) > 0: // which loading has already reported
		return Exit(exitcode.Usage)
	}
	return fmt.Errorf("%s: %w", f.File, outdated)
}

// Draw draws a graph. If page is not nil, it writes what the format html shows.
func (f *Graph) Draw(p *Process, g *eventgraph.Graph, page func(io.Writer, eventgraph.Options) error) error {
	o, err := f.options()
	if err != nil {
		return err
	}
	format, err := eventgraph.Formats().Choose(f.Format, f.Out.File)
	if err != nil {
		return err
	}
	if err := g.Check(o); err != nil {
		return fmt.Errorf("%s: %w", f.File, err)
	}
	if f.Critical > g.Last() {
		return fmt.Errorf("%s: no step %d to mark; the run has %d", f.File, f.Critical, g.Last())
	}
	g.Critical = cmp.Or(f.Critical, g.Critical)
	if n := cmp.Or(o.To, g.Last()) - o.From + 1; format.MaxSteps > 0 && n > format.MaxSteps {
		return fmt.Errorf("%s: %d steps are too many for %s, at most %d can be read; choose some with --from and --to",
			f.File, n, format.Name, format.MaxSteps)
	}
	return f.Out.Write(p.Stdout, func(w io.Writer) error {
		if page != nil && format.Name == eventgraph.HTMLFormat {
			return page(w, o)
		}
		return format.Render(w, eventgraph.Drawing{Graph: g, Options: o})
	})
}
