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
		Long: `Removes the steps of the run in FILE that its violation does not need: faults first, then others.
It also reorders the rest for fewer context switches, lowers picks, and tries short random runs
similar to the smallest one. The result violates the same property in the same way. A dead run
is confirmed again, with the same kind of critical step and a new tail. "macemc search" also
does this. The result depends only on the run, its system and the flags. Infinite fair runs are
refused, because the search already shortens them.

Without --out the smaller run goes to standard output.

Exit status: 1 if the run violates, 0 if it does not, 3 if that is undecided; for others see
"macemc help".`,
		Example: `  macemc shrink error.path -o small.path
  macemc shrink error.path --max-steps 20000000 -o small.path
  macemc shrink error.path -o small.path --json`,
		Args: a.oneRun(&o.File),
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Given = given(cmd)
			return a.onFile(cmd.Context(), o.File, &o)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVarP(&o.Out, "out", "o", "", "write the smaller run to `FILE`, which must not exist")
	fl.IntVar(&o.MaxSteps, "max-steps", 0, "stop shrinking after `N` executed steps (default 2000000)")
	fl.IntVar(&o.Walks, "walks", 0, "make `K` walks per probe of a critical transition (default 200)")
	fl.IntVar(&o.WalkSteps, "walk-steps", 0, "length `N` of a walk, in steps (default 2000)")
	fl.Uint64Var(&o.Seed, "seed", 0, "seed the walks with `N` (default: that of FILE)")
	fl.IntVar(&o.Workers, "workers", 0, "execute `N` walks in parallel (default: all cores)")
	fl.BoolVar(&o.JSON, "json", false, "print the report as one JSON object on standard output")
	return cmd
}
