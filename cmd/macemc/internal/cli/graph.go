package cli

import (
	"github.com/macemc/macemc/internal/explorer/schedulefile"
	"github.com/spf13/cobra"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/task"
)

func (a *app) graphCommand() *cobra.Command {
	var f task.Graph
	cmd := &cobra.Command{
		Use:   "graph FILE",
		Short: "Draw the event graph of a run",
		Long: `Draws the run in FILE as a graph of events: a lane per node, time downward, arrows for
messages and their outcome, timers, actions, faults, and what each step changed. FILE may also
be a schedule of "macemc test", with a lane for each goroutine.

Long sequences in which no node changes are folded into one line, in html only with --fold.
So are timers of one node that change only clocks, unless with --fold 0.

Formats:
` + eventgraph.Formats().Doc() + `

Exit status: 0 if the graph was written, 2 or 4 (disk full) if it could not be. It is 2,
too, if the system has changed: the graph then shows the new run, or is missing if the choices
of FILE do not fit.`,
		Example: `  macemc graph error.path
  macemc graph error.path -o run.html
  macemc graph error.path --from 10 --to 40 --nodes 0,2 --classes messages,faults
  macemc graph error.path --format svg --critical 20 -o run.svg`,
		Args: a.oneRun(&f.File),
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.Given = given(cmd)
			if s, err := schedulefile.ReadFile(f.File); err != nil {
				return err
			} else if s != nil {
				return a.tests().Graph(cmd.Context(), &f, s)
			}
			return a.onFile(cmd.Context(), f.File, &f)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.Format, "format", "", formatHelp)
	fl.StringVarP(&f.Out.File, "out", "o", "", "write to the file `OUT` (default: standard output)")
	fl.BoolVar(&f.Out.Force, "force", false, "overwrite OUT")
	fl.IntVar(&f.From, "from", 0, "first step `N` (default: the first boots)")
	fl.IntVar(&f.To, "to", 0, "last step `N` (default: the last)")
	fl.StringVar(&f.Nodes, "nodes", "", "lanes of the nodes (0,2) or goroutines (g1,g3) in `LIST` only, in this order")
	fl.StringVar(&f.Classes, "classes", "", "steps of the classes in `LIST` only: messages, timers, actions, errors, faults")
	fl.IntVar(&f.Fold, "fold", 0, "fold more than `N` steps in a row that change nothing, or none if 0 (default 4)")
	fl.IntVar(&f.Width, "width", 0, "columns `N` of text (default 100), pixels of svg and html")
	fl.IntVar(&f.Critical, "critical", 0, "mark step `N` as the critical one (default: from report.json beside FILE)")
	fl.BoolVar(&f.Notes, "notes", false, "show in text what handlers announced and logged, and which properties changed")
	return cmd
}
