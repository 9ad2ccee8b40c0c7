package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/cmd/macemc/internal/gotest"
	"github.com/macemc/macemc/internal/check/outfolder"
)

// lastVariable passes the file that "last" denotes to processes that execute the same command line.
const lastVariable = "MACEMC_LAST"

// runFile returns the file of a run for an argument.
func (a *app) runFile(name string) (string, error) {
	if name != gotest.Last {
		return name, nil
	}
	if file := os.Getenv(lastVariable); file != "" {
		return file, nil
	}
	file, err := gotest.NewestFinding(".", func(file string) bool {
		if filepath.Base(file) == outfolder.ErrorPath {
			return outfolder.IsFinding(filepath.Dir(file))
		}
		return gotest.IsSchedule(file)
	})
	if err != nil {
		return "", err
	}
	fmt.Fprintf(a.Stderr, "macemc: last is %s\n", file)
	if respawn := a.Respawn; respawn != nil {
		a.Respawn = func() *exec.Cmd {
			cmd := respawn()
			cmd.Env = append(cmd.Environ(), lastVariable+"="+file)
			return cmd
		}
	}
	return file, nil
}

// oneRun accepts one argument, which denotes a run, and sets its file.
func (a *app) oneRun(file *string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) (err error) {
		if err = exactlyOne("FILE")(cmd, args); err == nil {
			*file, err = a.runFile(args[0])
		}
		return err
	}
}
