package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/internal/task"
)

func (a *app) mdbCommand() *cobra.Command {
	var d task.Debug
	cmd := &cobra.Command{
		Use:   "mdb FILE [LIVE]",
		Short: "Debug a run",
		Long: `Opens the run in FILE: step forward and back, jump to the critical transition, look at
states, compare with the nearest live run, find out what caused a step, try other choices
from any step on. LIVE is the run to compare with; live.path beside FILE when none is named.

On a terminal this is a screen, and ? shows its keys. Elsewhere, or when TERM is dumb, it
is a prompt that reads commands; "help" lists them. --batch executes the commands of -x,
or those on standard input, and ends.

Exit status: 0, or 2 when FILE cannot be followed or a command of --batch fails.`,
		Example: `  macemc mdb macemc-out/pingack-every-ping-is-acknowledged-1/error.path
  macemc mdb error.path --batch -x 'critical; diff live; why'
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
			if d.File = args[0]; len(args) > 1 {
				d.Live = args[1]
			}
			d.NoColor = d.NoColor || os.Getenv("NO_COLOR") != ""
			return a.onFile(cmd.Context(), d.File, &d)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringArrayVarP(&d.Execute, "execute", "x", nil, "execute `COMMANDS`, separated by semicolons; may be repeated")
	fl.BoolVar(&d.Batch, "batch", false, "no screen and no prompt: execute commands and end")
	fl.BoolVar(&d.NoColor, "no-color", false, "a screen without colour (also when NO_COLOR is set)")
	return cmd
}
