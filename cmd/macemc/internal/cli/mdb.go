package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/testsched"
)

func (a *app) mdbCommand() *cobra.Command {
	var d task.Debug
	cmd := &cobra.Command{
		Use:   "mdb FILE [LIVE]",
		Short: "Debug a run",
		Long: `Opens the run in FILE: step forward and back, jump to the critical transition, look at
states, compare with the nearest live run, find out what caused a step, and try other choices
at any step. LIVE is the run to compare with (default: live.path beside FILE). FILE may also
be a schedule of "macemc test", with what each goroutine waits for after each step. The name
last is the newest finding in the current module, here and wherever a command takes a run.

On a terminal it fills the screen, and ? shows its keys. Elsewhere, or if TERM is dumb, it
is a prompt that reads commands; "help" lists them. --batch executes the commands of -x,
or those on standard input, and ends.

Exit status: 0, or 2 if FILE cannot be replayed or a command of --batch fails.`,
		Example: `  macemc mdb macemc-out/pingack-every-ping-is-acknowledged-1/error.path
  macemc mdb last
  macemc mdb error.path --batch -x 'critical; diff live; why'
  macemc mdb testdata/macemc/TestRenew/deadlock-1.path
  macemc mdb error.path other.path --batch < commands`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return fmt.Errorf("FILE is missing; see %s --help", cmd.CommandPath())
			case len(args) > 2:
				return fmt.Errorf("FILE and LIVE are wanted, not %d arguments; see %s --help", len(args), cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if d.File, err = a.runFile(args[0]); err != nil {
				return err
			}
			if len(args) > 1 {
				d.Live = args[1]
			}
			d.NoColor = d.NoColor || os.Getenv("NO_COLOR") != ""
			if s := testsched.ReadFile(d.File); s != nil {
				return a.tests().Debug(cmd.Context(), &d, s)
			}
			return a.onFile(cmd.Context(), d.File, &d)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringArrayVarP(&d.Execute, "execute", "x", nil, "execute `COMMANDS`, separated by semicolons; repeatable")
	fl.BoolVar(&d.Batch, "batch", false, "execute commands without a screen or a prompt, and exit")
	fl.BoolVar(&d.NoColor, "no-color", false, "disable colors (also if NO_COLOR is set)")
	return cmd
}
