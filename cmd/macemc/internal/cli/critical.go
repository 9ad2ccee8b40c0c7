package cli

import (
	"github.com/spf13/cobra"

	"github.com/macemc/macemc/internal/task"
)

func (a *app) criticalCommand() *cobra.Command {
	var c task.Critical
	cmd := &cobra.Command{
		Use:   "critical FILE",
		Short: "Find the step after which a run is dead",
		Long: `Finds the critical transition of the run in FILE: before that step random walks
reach live states, after it none does. Says how many walks were made from each probed
step, what repeats forever afterwards, and shows the nearest run that recovered.

Exit status: 1 when the run is dead, 0 when it recovers, 3 when that cannot be told;
the others are in "macemc help".`,
		Example: `  macemc critical macemc-out/pingack-every-ping-is-acknowledged-1/error.path
  macemc critical error.path --walks 1000 --walk-steps 10000
  macemc critical error.path --json`,
		Args: exactlyOne("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.File, c.Given = args[0], given(cmd)
			return a.onFile(cmd.Context(), c.File, &c)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.Var((*only)(&c.Walks.Property), "property", "a state is live when the property `NAME` holds (default: all of them)")
	fl.IntVar(&c.Walks.Walks, "walks", 0, "walks `K` per probe (default 200)")
	fl.IntVar(&c.Walks.WalkSteps, "walk-steps", 0, "length `N` of a walk, in steps (default 2000)")
	fl.Uint64Var(&c.Walks.Seed, "seed", 0, "`SEED` of the walks (default: that of FILE)")
	fl.IntVar(&c.Walks.Workers, "workers", 0, "how many walks `N` go on at a time (default: all cores)")
	fl.BoolVar(&c.JSON, "json", false, "print one JSON object")
	return cmd
}
