package cli

import (
	"github.com/spf13/cobra"

	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/internal/task"
)

func (a *app) reportCommand() *cobra.Command {
	var f task.Report
	cmd := &cobra.Command{
		Use:   "report FILE",
		Short: "Explain the violation that a run shows, in one page",
		Long: `Explains the violation that the run in FILE shows: what never happens again, the critical step
and its handler, the first difference from a run that recovers, what happens afterwards, and both
runs with the states of all nodes. The page is self-contained, and the paths can be saved from
it.

Formats:
` + render.Formats().Doc() + `

Without -o and --format, a terminal gets text, and a pipe or a file gets html.

A search writes the same report beside its paths. This command searches again for the critical
transition and the nearest live run, unless --live names a live run.

Exit status: 0 if the report was written, 2 or 4 (disk full) if it could not be, 3 if the walks
do not decide whether the run is dead.`,
		Example: `  macemc report error.path -o bug.html
  macemc report error.path -o bug.md
  macemc report error.path --live live.path -o bug.html
  macemc report error.path --format text`,
		Args: a.oneRun(&f.File),
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.Given = given(cmd)
			return a.onFile(cmd.Context(), f.File, &f)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVarP(&f.Out.File, "out", "o", "", "write to the file `OUT` (default: standard output)")
	fl.BoolVar(&f.Out.Force, "force", false, "overwrite OUT")
	fl.StringVar(&f.Format, "format", "", formatHelp)
	fl.StringVar(&f.Live, "live", "", "compare with the live run in `FILE`")
	fl.IntVar(&f.Walks.Walks, "walks", 0, "make `K` walks per probe (default 200)")
	fl.IntVar(&f.Walks.WalkSteps, "walk-steps", 0, "length `N` of a walk, in steps (default 2000)")
	fl.IntVar(&f.Walks.Workers, "workers", 0, "execute `N` walks in parallel (default: all cores)")
	return cmd
}
