package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/task"
)

func (a *app) recordingCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "recording",
		Short: "Merge the recordings of live nodes",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.mergeCommand())
	return cmd
}

func (a *app) mergeCommand() *cobra.Command {
	var out string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "merge DIR",
		Short: "Merge the recordings of all nodes into one run",
		Long: `Merges the recordings of all nodes in DIR into one run of their system, in an order that
agrees with causality, and executes it in the checker. Every step is compared with what was
recorded. Commands that take a path file take DIR as well.

Exit status: 0 if the execution agrees with the recordings, 3 if it does not or if a part
cannot be read. The run up to that point is written in any case.`,
		Example: `  macemc recording merge macemc-out/live-randtree-1/recording -o run.path
  macemc replay run.path`,
		Args: exactlyOne("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.merge(args[0], out, asJSON) },
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "write the run to `FILE`, which must not exist")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// mergeReport is the JSON output of a merge.
type mergeReport struct {
	Recording    string   `json:"recording"`
	System       string   `json:"system"`
	Nodes        int      `json:"nodes"`
	Steps        int      `json:"steps"`
	Compared     int      `json:"states_compared"`
	Left         []int    `json:"events_left"` // by node
	Disagreement string   `json:"disagreement,omitempty"`
	Notes        []string `json:"notes,omitempty"`
	PathFile     string   `json:"path_file,omitempty"`
}

func (a *app) merge(dir, out string, asJSON bool) error {
	m, err := check.MergeRecordings(a.Systems, dir)
	if err != nil {
		return err
	}
	if out != "" {
		file, err := m.File()
		if err != nil {
			return err
		}
		if err := check.WriteNew(out, file); err != nil {
			return err
		}
	}
	r := mergeReport{Recording: dir, System: m.System.Name, Nodes: m.System.Nodes, Steps: len(m.Origins), Compared: m.Compared,
		Left: m.Left, Notes: m.Notes, PathFile: out}
	if m.Disagreement != nil {
		r.Disagreement = m.Disagreement.Error()
	}
	if asJSON {
		err = task.WriteJSON(a.Stdout, r)
	} else {
		fmt.Fprintf(a.Stdout, "%s, %d nodes: %d steps, %d recorded states found again\n", r.System, r.Nodes, r.Steps, r.Compared)
	}
	if err != nil {
		return err
	}
	if !a.Doubts(m) {
		return nil
	}
	return Exit(exitcode.Inconclusive)
}
