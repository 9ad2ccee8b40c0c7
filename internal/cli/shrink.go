package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/check"
	"github.com/macemc/macemc/report"
	"github.com/macemc/macemc/search"
)

func (a *app) shrinkCommand() *cobra.Command {
	var (
		o      check.ShrinkOptions
		out    string
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "shrink FILE",
		Short: "Make a violating run smaller",
		Long: `Leaves out of the run in FILE what is not needed for its violation: faults first, then
other steps; reorders the rest so that there are fewer context switches, and lowers
picks. What is left violates the same property in the same way; a dead run is confirmed
dead anew, with the same kind of critical step, and a new tail. "macemc search" does this
by itself. The result depends on the run, its system and the flags only.

Without --out the smaller run goes to standard output.

Exit status: 1 when the run violates, 0 when it does not, 3 when that cannot be told;
the others are in "macemc help".`,
		Example: `  macemc shrink error.path -o small.path
  macemc shrink error.path --max-steps 20000000 -o small.path
  macemc shrink error.path -o small.path --json`,
		Args: exactlyOne("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := (numbers{{"walks", o.Walks, 1}, {"walk-steps", o.WalkSteps, 1}, {"workers", o.Workers, 1}, {"nodes", o.Nodes, 1},
				{"max-steps", o.MaxSteps, 1}}).check(cmd.Flags().Changed); err != nil {
				return err
			}
			return a.shrink(cmd.Context(), args[0], o, out, asJSON)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVarP(&out, "out", "o", "", "write the smaller run to `FILE`, which must not exist")
	fl.IntVar(&o.Nodes, "nodes", 0, "go on from what of the run fits the bundled system with `N` nodes, if that violates, too")
	fl.IntVar(&o.MaxSteps, "max-steps", 0, "try no candidate after `N` executed steps (default 2000000)")
	fl.IntVar(&o.Walks, "walks", 0, "walks `K` per probe of a critical transition (default 200)")
	fl.IntVar(&o.WalkSteps, "walk-steps", 0, "length `N` of a walk, in steps (default 2000)")
	fl.Uint64Var(&o.Seed, "seed", 0, "`SEED` of the walks (default: that of FILE)")
	fl.IntVar(&o.Workers, "workers", 0, "how many walks `N` go on at a time (default: all cores)")
	fl.BoolVar(&asJSON, "json", false, "print the report as one JSON object on standard output")
	return cmd
}

func (a *app) shrink(ctx context.Context, file string, o check.ShrinkOptions, out string, asJSON bool) error {
	if out != "" && !a.role.Reexecuting() {
		if _, err := os.Lstat(out); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("--out %s exists already; name a file that does not", out)
		}
	}
	l, done, err := a.load(ctx, file)
	if done || err != nil {
		return err
	}
	status := newStatus(a.stderr, a.terminal)
	defer status.clear()
	o.Respawn, o.Progress = a.respawn, status.show
	rep, small, err := check.Shrink(ctx, l, o)
	status.clear()
	if err != nil {
		return err
	}
	if small == nil {
		if asJSON {
			return a.ended(ctx, a.show(ctx, rep, true), nil)
		}
		if rep.Verdict == search.OK {
			fmt.Fprintf(a.stderr, "macemc: %s: the run violates nothing, so there is nothing to shrink\n", file)
			return nil
		}
		fmt.Fprintf(a.stderr, "macemc: %s: that it violates could not be confirmed; longer walks (--walk-steps) may tell\n", file)
		return statusError(check.StatusInconclusive)
	}
	found := check.Status(rep.Verdict, rep.Stopped, context.Cause(ctx))
	if out != "" {
		if err := check.WriteNew(out, small); err != nil {
			return a.ended(ctx, found, err)
		}
		rep.PathFile = out
	}
	switch {
	case asJSON:
		found = a.show(ctx, rep, true)
	case out == "":
		_, err = small.WriteTo(a.stdout)
	default:
		_, err = fmt.Fprintf(a.stdout, "%s: %s\n", out, report.ShrunkText(rep))
	}
	return a.ended(ctx, found, err)
}
