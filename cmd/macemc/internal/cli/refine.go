package cli

import (
	"github.com/spf13/cobra"

	"github.com/macemc/macemc/internal/refine"
	"github.com/macemc/macemc/internal/task"
)

func (a *app) refineCommand() *cobra.Command {
	var f task.Refine
	var test string
	cmd := &cobra.Command{
		Use:   "refine SYSTEM",
		Short: "Compare an abstraction with its implementation",
		Long: `Compares each abstraction of a system with the part that it replaces: does the abstraction
allow everything that the part does, as observed by the same clients? Clients observe what
they receive, do and draw, and that a fair run continues or ends without further observations.
Faults affect the part as its limits allow.

It also compares them in the other direction: behaviors of the abstraction that the part
does not have may cause false findings, but are not errors.

Exit status: 1 if the part does something that the abstraction does not, 3 if the comparison
is undecided; for others see "macemc help".`,
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
	subjectFlags(fl, &f.Subject, &test, "use the system of")
	fl.IntVar(&f.MaxStates, "max-states", refine.DefaultStates, "compare at most `N` states of each, and pairs of them")
	fl.BoolVar(&f.JSON, "json", false, "print one JSON array")
	return cmd
}
