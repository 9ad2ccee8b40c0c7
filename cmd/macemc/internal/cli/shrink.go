package cli

import (
	"github.com/spf13/cobra"

	"github.com/macemc/macemc/internal/task"
)

func (a *app) shrinkCommand() *cobra.Command {
	var o task.Shrink
	cmd := &cobra.Command{
		Use:   "shrink FILE",
		Short: "Make a violating run smaller",
		Long: `Leaves out of the run in FILE what is not needed for its violation: faults first, then
other steps; reorders the rest so that there are fewer context switches, and lowers
picks. What is left violates the same property in the same way; a dead run is confirmed
dead anew, with the same kind of critical step, and a new tail. "macemc search" does this
by itself. The result depends on the run, its system and the flags only. Runs in which
something is starved forever are refused: the search that finds one makes it short.

Without --out the smaller run goes to standard output.

Exit status: 1 when the run violates, 0 when it does not, 3 when that cannot be told;
the others are in "macemc help".`,
		Example: `  macemc shrink error.path -o small.path
  macemc shrink error.path --max-steps 20000000 -o small.path
  macemc shrink error.path -o small.path --json`,
		Args: exactlyOne("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.File, o.Given = args[0], given(cmd)
			return a.onFile(cmd.Context(), o.File, &o)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVarP(&o.Out, "out", "o", "", "write the smaller run to `FILE`, which must not exist")
	fl.IntVar(&o.Nodes, "nodes", 0, "continue with the part that fits a system of `N` nodes, if that violates")
	fl.IntVar(&o.MaxSteps, "max-steps", 0, "try no candidate after `N` executed steps (default 2000000)")
	fl.IntVar(&o.Walks, "walks", 0, "walks `K` per probe of a critical transition (default 200)")
	fl.IntVar(&o.WalkSteps, "walk-steps", 0, "length `N` of a walk, in steps (default 2000)")
	fl.Uint64Var(&o.Seed, "seed", 0, "`SEED` of the walks (default: that of FILE)")
	fl.IntVar(&o.Workers, "workers", 0, "how many walks `N` go on at a time (default: all cores)")
	fl.BoolVar(&o.JSON, "json", false, "print the report as one JSON object on standard output")
	return cmd
}
