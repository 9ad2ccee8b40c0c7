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
		Long: `Finds the critical transition of the run in FILE: some random walks from the state before it
reach a live state, and no walk from the state after it does. Shows the number of walks from
each probed step, what happens afterwards, and the nearest run that recovered.

Exit status: 1 if the run is dead, 0 if it recovers, 3 if the walks do not decide it; for
others see "macemc help".`,
		Example: `  macemc critical macemc-out/pingack-every-ping-is-acknowledged-1/error.path
  macemc critical error.path --walks 1000 --walk-steps 10000
  macemc critical error.path --json`,
		Args: a.oneRun(&c.File),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c.Given = given(cmd)
			return a.onFile(cmd.Context(), c.File, &c)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.Var((*only)(&c.Walks.Property), "property", "a state is live when the property `NAME` holds (default: all of them)")
	fl.IntVar(&c.Walks.Walks, "walks", 0, "make `K` walks per probe (default 200)")
	fl.IntVar(&c.Walks.WalkSteps, "walk-steps", 0, "length `N` of a walk, in steps (default 2000)")
	fl.Uint64Var(&c.Walks.Seed, "seed", 0, "seed the walks with `N` (default: that of FILE)")
	fl.IntVar(&c.Walks.Workers, "workers", 0, "execute `N` walks in parallel (default: all cores)")
	fl.BoolVar(&c.JSON, "json", false, "print one JSON object")
	return cmd
}
