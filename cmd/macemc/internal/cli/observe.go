package cli

import (
	"github.com/spf13/cobra"

	"github.com/macemc/macemc/internal/task"
)

func (a *app) observeCommand() *cobra.Command {
	var o task.Observe
	cmd := &cobra.Command{
		Use:   "observe FILE",
		Short: "Judge a run by monitors, in every order that agrees with its causes",
		Long: `Has the monitors of a system judge the run in FILE, a path file or a folder of what live
nodes have recorded, in every order that agrees with its causes: what a node does one
after the other, and messages from one to another. What nodes announced without knowing
of each other may have happened either way, whatever clocks say.

For each monitor it says whether it is violated in every such order, in some, or in
none, and shows an order that violates it. What the monitors are told of was announced
by the nodes, which are executed again. Monitors that are hot in the end are not
reported: a run that goes on may settle what is owed.

Exit status: 1 when a monitor is violated in some order, 3 when there are more orders
than were looked at; the others are in "macemc help".`,
		Example: `  macemc observe macemc-out/live-commit-1/recording
  macemc observe error.path --json`,
		Args: exactlyOne("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.File, o.Given = args[0], given(cmd)
			return a.onFile(cmd.Context(), o.File, &o)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&o.Monitor, "monitor", "", "judge by the monitor `NAME` only")
	fl.IntVar(&o.MaxStates, "max-states", 1_000_000, "look at most at `N` states of a monitor")
	fl.BoolVar(&o.JSON, "json", false, "print one JSON object")
	return cmd
}
