package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/check/outfolder"
	"github.com/macemc/macemc/internal/task"
)

func (a *app) durableCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "durable",
		Short: "Inspect the folder of macemc search --durable",
		Long: `A search with --strategy bfs --durable DIR writes each state that it finds to DIR, with
its predecessor and the step between them. A search that is killed loses only the work of its
last moments. For strategies that execute runs the folder has the results of the runs. --resume
with the same flags continues the search.`,
		Example: `  macemc search paxos --set proposers=3 --strategy bfs --visited 64 --durable px3 --resume
  macemc durable info px3
  macemc durable recheck px3`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("%s: unknown command %q; the commands are info and recheck", cmd.CommandPath(), args[0])
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(a.durableInfo(), a.durableRecheck())
	return cmd
}

func (a *app) durableInfo() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "info DIR",
		Short: "Describe the stored search and its progress",
		Long: `Shows the system and the settings of the search in DIR, the programs that wrote it, the
number of states, and how many are not expanded yet. It does not disturb a running search.

All files are compared with their checksums. An incomplete last block is not damage: --resume
truncates it, and its states are found again. A damaged block before good ones is reported,
with exit status 2. "macemc durable recheck" checks whether the code still behaves the same.`,
		Example: `  macemc durable info px3
  macemc durable info px3 --json`,
		Args: exactlyOne("DIR"),
		RunE: func(_ *cobra.Command, args []string) error { return a.DurableInfo(args[0], asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func (a *app) durableRecheck() *cobra.Command {
	var f task.Search
	cmd := &cobra.Command{
		Use:   "recheck DIR",
		Short: "Check the current properties on all states of a finished search",
		Long: `Visits all states of a finished search again, without searching for them, and checks the
current properties of the system, including new and changed ones. It executes all handlers
again and compares the results, so that changed code is detected. It does not change DIR.

Exit status:

` + strings.TrimRight(exitcode.Table(), "\n"),
		Example: `  macemc durable recheck px3
  macemc durable recheck px3 --property agreement --json`,
		Args: exactlyOne("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			test, err := f.FromFolder(args[0])
			if err != nil {
				return err
			}
			f.Again = "durable " + rerunArgs(cmd, args)
			return a.onSystem(cmd.Context(), f.System, test, &f)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.Var((*only)(&f.Property), "property", "check only the property `NAME`")
	fl.IntVar(&f.Memory, "memory", 0, "stop when states take about `N` MB (default: half of the free memory)")
	fl.IntVar(&f.Config.Workers, "workers", 0, "run `N` workers in parallel (default: all cores)")
	fl.DurationVar(&f.Config.Time, "time", 0, "stop after `TIME` (default: no limit)")
	fl.StringVar(&f.Out, "out", "", "folder `DIR` for a violation (default: a new one in "+outfolder.Root+")")
	fl.BoolVar(&f.JSON, "json", false, "print the report as one JSON object on standard output")
	collectedFlags(fl, &f.Collected)
	return cmd
}
