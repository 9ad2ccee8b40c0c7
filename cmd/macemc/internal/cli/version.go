package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/version"
)

func (a *app) versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long:  "Prints the version of the module, the commit if it is known, and the version of Go.",
		Example: `  macemc version
  macemc version --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return task.WriteJSON(a.Stdout, version.Current())
			}
			_, err := fmt.Fprintf(a.Stdout, "macemc %s\n", version.Current())
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}
