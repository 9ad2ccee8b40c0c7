package cli

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/internal/task"
)

func (a *app) systemsCommand() *cobra.Command {
	var d task.Describe
	var test string
	cmd := &cobra.Command{
		Use:   "systems [SYSTEM]",
		Short: "List what can be checked, or describe one system",
		Long: `Without an argument, lists the bundled systems. With a folder (such as ./mysvc) or import path
of a package, lists the systems that its tests check. With a system, describes it: nodes,
parameters, fault limits, properties, and the known bugs that --bug enables, each with the
settings that --bug uses unless they are overridden.`,
		Example: `  macemc systems
  macemc systems randtree
  macemc systems ./mysvc
  macemc systems ./mysvc:TestLease
  macemc systems randtree --json`,
		Args: atMostOne("SYSTEM"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.listSystems(d.JSON)
			}
			if dir, name := splitTest(args[0]); isPackage(dir) && name == "" && test == "" {
				return a.listPackage(cmd.Context(), dir, d.JSON)
			}
			d.System = args[0]
			return a.onSystem(cmd.Context(), d.System, test, &d)
		},
	}
	cmd.Flags().StringVar(&test, "test", "", "use the system of test `NAME` of a package")
	cmd.Flags().BoolVar(&d.JSON, "json", false, "print one JSON object")
	return cmd
}

func (a *app) listSystems(asJSON bool) error {
	var list struct {
		Systems []task.Info `json:"systems"`
	}
	for _, e := range a.Systems {
		info, err := task.InfoOf(e)
		if err != nil {
			return err
		}
		list.Systems = append(list.Systems, info)
	}
	if asJSON {
		return task.WriteJSON(a.Stdout, list)
	}
	tw := tabwriter.NewWriter(a.Stdout, 0, 0, 2, ' ', 0)
	for _, s := range list.Systems {
		fmt.Fprintf(tw, "%s\t%s\t%s\n", s.Name, s.NodeRange(), s.Summary)
	}
	return tw.Flush()
}
