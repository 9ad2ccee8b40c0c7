package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/mdb"
)

// graphFlags are the flags of graph, as they were given.
type graphFlags struct {
	format, nodes, classes string
	from, to, critical     int
	fold, width            int
	notes                  bool
	out                    output
	foldGiven              bool
}

// graphFormats are the formats of graph, by the ending of a file's name.
func graphFormats() [][2]string {
	return [][2]string{
		{".txt", "text"}, {".svg", "svg"}, {".html", "html"}, {".mmd", "mermaid"}, {".dot", "dot"}, {".json", "json"}, {".log", "shiviz"},
	}
}

func graphFormatNames() []string {
	var names []string
	for _, f := range graphFormats() {
		names = append(names, f[1])
	}
	return names
}

func (a *app) graphCommand() *cobra.Command {
	var f graphFlags
	cmd := &cobra.Command{
		Use:   "graph FILE",
		Short: "Draw the event graph of a run",
		Long: `Draws the run in FILE as a graph of events: a lane per node, time downward, arrows for
messages and what became of them, timers, actions, faults, and what each step changed.

Formats: text for a terminal, svg, html (a page to step through, with all states), mermaid
(a sequence diagram), dot (what follows from what, for Graphviz), json (everything), and
shiviz (a log with vector clocks). Long stretches in which no node changes are folded into
one line; in html they are not, unless --fold asks for it.

Exit status: 0 when the graph was written, 2 or 4 (disk full) when it could not be.`,
		Example: `  macemc graph error.path
  macemc graph error.path -o run.html
  macemc graph error.path --from 10 --to 40 --nodes 0,2 --classes messages,faults
  macemc graph error.path --format svg --critical 20 -o run.svg`,
		Args: exactlyOne("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.foldGiven = cmd.Flags().Changed("fold")
			return a.graph(cmd.Context(), args[0], &f)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.format, "format", "", "`NAME`, one of "+strings.Join(graphFormatNames(), ", ")+" (default: by the name of OUT, or text)")
	fl.StringVarP(&f.out.file, "out", "o", "", "write to the file `OUT` (default: standard output)")
	fl.BoolVar(&f.out.force, "force", false, "overwrite OUT")
	fl.IntVar(&f.from, "from", 0, "first step `N` (default: the first boots)")
	fl.IntVar(&f.to, "to", 0, "last step `N` (default: the last)")
	fl.StringVar(&f.nodes, "nodes", "", "lanes of the nodes in `LIST` only, as 0,2, in this order")
	fl.StringVar(&f.classes, "classes", "", "steps of the classes in `LIST` only: messages, timers, actions, errors, faults")
	fl.IntVar(&f.fold, "fold", 0, "show up to `N` steps in a row that change nothing, fold more; 0: never fold (default 4)")
	fl.IntVar(&f.width, "width", 0, "columns `N` of text (default 100), pixels of svg and html (default: as many as needed)")
	fl.IntVar(&f.critical, "critical", 0, "mark step `N` as the critical one (default: what report.json beside FILE says)")
	fl.BoolVar(&f.notes, "notes", false, "show in text what handlers announced and logged, and which properties changed")
	return cmd
}

// options makes sense of the flags, as far as that needs no run.
func (f *graphFlags) options() (o eventgraph.Options, err error) {
	for _, n := range []struct {
		name  string
		value int
	}{{"from", f.from}, {"to", f.to}, {"fold", f.fold}, {"width", f.width}, {"critical", f.critical}} {
		if n.value < 0 {
			return o, fmt.Errorf("--%s is %d, must not be negative", n.name, n.value)
		}
	}
	if f.format == "" {
		f.format = "text"
		for _, known := range graphFormats() {
			if filepath.Ext(f.out.file) == known[0] {
				f.format = known[1]
			}
		}
	}
	if !slices.Contains(graphFormatNames(), f.format) {
		return o, fmt.Errorf("--format %q is not available; accepted are %s", f.format, strings.Join(graphFormatNames(), ", "))
	}
	o = eventgraph.Options{From: f.from, To: f.to, Width: f.width, Notes: f.notes, Fold: f.fold}
	if f.foldGiven && f.fold == 0 {
		o.Fold = -1
	}
	if f.nodes != "" {
		for word := range strings.SplitSeq(f.nodes, ",") {
			n, err := strconv.Atoi(strings.TrimPrefix(strings.TrimSpace(word), "n"))
			if err != nil {
				return o, fmt.Errorf("--nodes %q is not a list of numbers like 0,2", f.nodes)
			}
			o.Nodes = append(o.Nodes, n)
		}
	}
	if f.classes != "" {
		if o.Classes, err = eventgraph.ParseClasses(f.classes); err != nil {
			return o, fmt.Errorf("--classes: %w", err)
		}
	}
	return o, f.out.check()
}

// mostDrawn is how many steps an image or a page may have.
const mostDrawn = 5000

func (a *app) graph(ctx context.Context, file string, f *graphFlags) error {
	o, err := f.options()
	if err != nil {
		return err
	}
	l, done, err := a.load(ctx, file)
	if done || err != nil {
		return err
	}
	t, err := l.Trace(-1)
	if err != nil {
		return err
	}
	g := eventgraph.Build(t)
	if err := g.Check(o); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if f.critical > g.Last() {
		return fmt.Errorf("%s: there is no step %d to mark; the run has %d", file, f.critical, g.Last())
	}
	if g.Critical = f.critical; f.critical == 0 {
		if r := mdb.ReadRecorded(file); r.Steps == g.Last() && r.Step <= g.Last() {
			g.Critical = r.Step
		}
	}
	if f.format == "svg" || f.format == "html" {
		last := o.To
		if last == 0 {
			last = g.Last()
		}
		if n := last - o.From + 1; n > mostDrawn {
			return fmt.Errorf("%s: %d steps are too many for %s, at most %d can be read; choose some with --from and --to",
				file, n, f.format, mostDrawn)
		}
	}
	render := map[string]func(io.Writer, eventgraph.Options) error{
		"text": g.Text, "svg": g.SVG, "html": g.HTML, "mermaid": g.Mermaid, "dot": g.Dot,
		"json":   func(w io.Writer, _ eventgraph.Options) error { return g.JSON(w) },
		"shiviz": func(w io.Writer, _ eventgraph.Options) error { return g.ShiViz(w) },
	}[f.format]
	return a.write(f.out, func(w io.Writer) error { return render(w, o) })
}
