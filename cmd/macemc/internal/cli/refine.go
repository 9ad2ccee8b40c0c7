package cli

import (
	"github.com/spf13/cobra"

	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/refine"
)

func (a *app) refineCommand() *cobra.Command {
	var f task.Refine
	var test string
	cmd := &cobra.Command{
		Use:   "refine SYSTEM",
		Short: "Compare an abstraction with its implementation",
		Long: `Compares each abstraction that a system names with the part of it that ships: whether
it does all that the part does, as far as the same clients around both can see. Seen is
what clients get, do and draw, and that they may wait forever: that a fair run goes on,
or ends, without them seeing any more. Faults of the part happen as far as it allows them.

Then it compares them the other way round: what the abstraction does and the part does
not makes for findings that are none, and is no mistake.

Exit status: 1 when the part does what the abstraction does not, 3 when nothing was
decided; the others are in "macemc help".`,
		Example: `  macemc refine ./mysvc
  macemc refine ./mysvc --test TestStore
  macemc refine ./mysvc --json`,
		Args: exactlyOne("SYSTEM"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.System, f.Given = args[0], given(cmd)
			return a.onSystem(cmd.Context(), f.System, test, &f)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&test, "test", "", "of a package, the system of the test `NAME`")
	fl.StringArrayVar(&f.Bugs, "bug", nil, "put a known bug `ID` back; may be repeated")
	fl.IntVar(&f.Nodes, "nodes", 0, "number of nodes `N`")
	fl.StringArrayVar(&f.Set, "set", nil, "set a parameter of the system, as `KEY=VALUE`; may be repeated")
	fl.IntVar(&f.MaxStates, "max-states", refine.DefaultStates, "compare at most `N` states of each, and pairs of them")
	fl.BoolVar(&f.JSON, "json", false, "print one JSON array")
	return cmd
}
