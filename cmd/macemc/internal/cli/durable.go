package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/task"
)

func (a *app) durableCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "durable",
		Short: "Inspect the folder of macemc search --durable",
		Long: `A search by --strategy bfs --durable DIR keeps the states that it finds in DIR: for each
the state that it was found from, and the step that led to it. What it loses when it is
killed is the work of its last moments. For deepening, walk and faulty the folder has the
results of the runs. --resume with the same flags continues the search.`,
		Example: `  macemc search paxos --set proposers=3 --strategy bfs --visited 64 --durable px3 --resume
  macemc durable info px3
  macemc durable verify px3
  macemc durable recheck px3`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("%s: unknown command %q; there are info, verify and recheck", cmd.CommandPath(), args[0])
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(a.durableInfo(), a.durableVerify(), a.durableRecheck())
	return cmd
}

func (a *app) durableInfo() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "info DIR",
		Short: "Say which search is kept, and how far it came",
		Long: `Says of which system and settings the states in DIR are, by which programs they were
found, how many there are, and how many wait for their steps to be executed. A search
that goes on there is not disturbed.`,
		Example: `  macemc durable info px3
  macemc durable info px3 --json`,
		Args: exactlyOne("DIR"),
		RunE: func(_ *cobra.Command, args []string) error { return a.DurableInfo(args[0], asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func (a *app) durableVerify() *cobra.Command {
	return &cobra.Command{
		Use:   "verify DIR",
		Short: "Check that what is kept is whole",
		Long: `Reads all that is kept in DIR, and compares it with its checksums. A last block that is
not whole is no fault: --resume cuts it off, and its states are found again. A damaged
one with good ones behind it is: it is told of, with exit status 2. Whether the code
still does what it did is another question, which "macemc durable recheck" answers.`,
		Example: `  macemc durable verify px3`,
		Args:    exactlyOne("DIR"),
		RunE:    func(_ *cobra.Command, args []string) error { return a.DurableVerify(args[0]) },
	}
}

func (a *app) durableRecheck() *cobra.Command {
	var f task.Search
	cmd := &cobra.Command{
		Use:   "recheck DIR",
		Short: "Check all states of a finished search again, by the properties of now",
		Long: `Visits all states of a finished search again, without searching for them, and checks the
properties that the system has now: new ones, and those that were changed. What handlers
did is executed again and compared, so that a change of the code is noticed, too.
Nothing in DIR is changed.

Exit status:

` + strings.TrimRight(check.StatusTable(), "\n"),
		Example: `  macemc durable recheck px3
  macemc durable recheck px3 --property agreement --json`,
		Args: exactlyOne("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			test, err := f.FromFolder(args[0])
			if err != nil {
				return err
			}
			f.Again = "durable " + again(cmd, args)
			return a.onSystem(cmd.Context(), f.System, test, &f)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.Var((*only)(&f.Property), "property", "check only the property `NAME`")
	fl.IntVar(&f.Memory, "memory", 0, "stop when states take about `N` MB (default: half of what is free)")
	fl.IntVar(&f.Workers, "workers", 0, "how many workers `N` there are (default: all cores)")
	fl.DurationVar(&f.Time, "time", 0, "stop after this `TIME` (default: no limit)")
	fl.StringVar(&f.Out, "out", "", "folder `DIR` for a violation (default: a new one in "+check.Root+")")
	fl.BoolVar(&f.JSON, "json", false, "print the report as one JSON object on standard output")
	fl.StringVar(&f.JUnit, "junit", "", "also write the report as JUnit XML to `FILE`")
	return cmd
}
