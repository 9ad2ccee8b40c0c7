package cli

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/internal/scaffold"
)

// newCommand returns the command "macemc new".
func newCommand() *cobra.Command {
	var checkout string
	var store bool
	cmd := &cobra.Command{
		Use:   "new DIR",
		Short: "Write a small service with a bug, its properties and its test",
		Long: `Writes an example package into DIR, a new or empty folder: a service of two nodes, its
properties, and a test that checks it with mctest. Comments explain the code. The service has
a bug, which its first "go test" finds. With --store the package is a storage library, and its
test crashes it with crashtest.

Outside a module, DIR becomes one, which uses the checkout that this program was built from,
or that of --macemc.`,
		Example: `  macemc new mysvc
  macemc new ./internal/mysvc
  macemc new mystore --store
  macemc new mysvc --macemc ~/src/macemc`,
		Args: exactlyOne("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			sample, test := scaffold.Service, "go test"
			if store {
				sample, test = scaffold.Store, "macemc test"
			}
			w, err := scaffold.Write(args[0], checkout, sample)
			if w == nil {
				return err
			}
			out := cmd.OutOrStdout()
			for _, f := range w.Files {
				fmt.Fprintln(out, filepath.Join(args[0], f))
			}
			if err != nil {
				return err
			}
			fmt.Fprintln(out, "\nNow:")
			for _, s := range w.Steps {
				fmt.Fprintf(out, "  %s\n", s)
			}
			fmt.Fprintf(out, "  cd %s\n  %s\n", args[0], test)
			return nil
		},
	}
	cmd.Flags().BoolVar(&store, "store", false, "write a storage library and a test that crashes it")
	cmd.Flags().StringVar(&checkout, "macemc", "", "use the checkout of macemc in `DIR` (default: where this program was built)")
	return cmd
}
