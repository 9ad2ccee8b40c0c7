package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/check"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

func (a *app) criticalCommand() *cobra.Command {
	var (
		f      check.CriticalOptions
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "critical FILE",
		Short: "Find the step after which a run is dead",
		Long: `Finds the critical transition of the run in FILE: before that step random walks
reach live states, after it none does. Says how many walks were made from each probed
step, what goes on for ever afterwards, and shows the nearest run that recovered.

Exit status: 1 when the run is dead, 0 when it recovers, 3 when that cannot be told;
the others are in "macemc help".`,
		Example: `  macemc critical macemc-out/pingack-every-ping-is-acknowledged-1/error.path
  macemc critical error.path --walks 1000 --walk-steps 10000
  macemc critical error.path --json`,
		Args: exactlyOne("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := walkNumbers(&f).check(cmd.Flags().Changed); err != nil {
				return err
			}
			return a.critical(cmd.Context(), args[0], f, asJSON)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.Property, "property", "", "a state is live when the property `NAME` holds (default: all of them)")
	fl.IntVar(&f.Walks, "walks", 0, "walks `K` per probe (default 200)")
	fl.IntVar(&f.WalkSteps, "walk-steps", 0, "length `N` of a walk, in steps (default 2000)")
	fl.Uint64Var(&f.Seed, "seed", 0, "`SEED` of the walks (default: that of FILE)")
	fl.IntVar(&f.Workers, "workers", 0, "how many walks `N` go on at a time (default: all cores)")
	fl.BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func (a *app) critical(ctx context.Context, file string, f check.CriticalOptions, asJSON bool) error {
	l, done, err := a.load(ctx, file)
	if done || err != nil {
		return err
	}
	if l.Death != nil {
		return fmt.Errorf("%s: the last step is a %s, not a liveness violation: %s", file, l.Death.Kind, l.Death.Message)
	}
	if err := knownProperty(&l.System, f.Property); err != nil {
		return err
	}
	if f.Property == sim.AssertionProperty {
		return fmt.Errorf("--property %s is not about liveness", f.Property)
	}
	rep, err := check.Critical(ctx, l, f)
	if err != nil {
		return err
	}
	if asJSON || rep.Verdict == search.Violation {
		return a.ended(ctx, a.show(ctx, rep, asJSON), nil)
	}
	for _, p := range rep.Critical.Probes {
		fmt.Fprintf(a.stdout, "from step %d: %d of %d walks of %d steps reached a live state\n",
			p.Step, p.Recovered, p.Walks, p.Limit)
	}
	if rep.Verdict == search.OK {
		fmt.Fprintln(a.stdout, "The run is not dead: its end recovers.")
		return nil
	}
	fmt.Fprintln(a.stdout, "That does not tell; longer walks (--walk-steps) may.")
	return statusError(check.StatusInconclusive)
}
