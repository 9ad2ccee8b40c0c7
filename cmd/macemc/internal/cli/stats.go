package cli

import (
	"github.com/spf13/cobra"

	"github.com/macemc/macemc/internal/task"
)

func (a *app) statsCommand() *cobra.Command {
	var f task.Stats
	var test string
	cmd := &cobra.Command{
		Use:   "stats SYSTEM",
		Short: "Measure how many steps random walks take to a live state",
		Long: `Makes random walks without faults to their first live state, with the weights of a
search and with equal ones, and prints the percentiles of their length: from the first
state and, when faults are allowed, from states after a random number of steps in which
faults struck, the same for both kinds of weights.

A percentile that is as long as the walk limit tells that a search needs longer walks
(--walk-steps): walks that are cut look dead. --svg plots the distributions.`,
		Example: `  macemc stats randtree --nodes 8
  macemc stats randtree --nodes 8 --crashes 2 --walks 10000 --svg steps.svg
  macemc stats overcast --bug OV1 --walk-steps 2000 --json`,
		Args: exactlyOne("SYSTEM"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.System, f.Given = args[0], given(cmd)
			return a.onSystem(cmd.Context(), f.System, test, &f)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	subjectFlags(fl, &f.Subject, &test)
	fl.IntVar(&f.Walks, "walks", 1000, "make `N` walks of each kind")
	fl.IntVar(&f.WalkSteps, "walk-steps", 20_000, "length `N` of a walk, in steps")
	environmentFlags(fl, &f.Subject)
	fl.Uint64Var(&f.Seed, "seed", 1, "`SEED` of the random walks, at least 1")
	fl.IntVar(&f.Workers, "workers", 0, "how many walks `N` go on at a time (default: all cores)")
	fl.StringVar(&f.SVG, "svg", "", "plot the distributions into `FILE`")
	fl.BoolVar(&f.JSON, "json", false, "print one JSON object, with all counts")
	return cmd
}
