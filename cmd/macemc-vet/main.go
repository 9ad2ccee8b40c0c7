// Command macemc-vet is macemc with the command vet, which reads source by golang.org/x/tools. "macemc vet" executes it.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/cmd/macemc-vet/vet"
	"github.com/macemc/macemc/cmd/macemc/program"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/task"
)

func main() { os.Exit(program.Main(config(), os.Args[1:])) }

func config() program.Config {
	return program.Config{Commands: func(*task.Process) []*cobra.Command { return []*cobra.Command{vetCommand()} }}
}

// vetCommand is "macemc vet".
func vetCommand() *cobra.Command {
	var c vet.Config
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "vet [PACKAGE...]",
		Short: "Find nondeterminism in the source of handlers",
		Long: `Reads packages and reports what their handlers must not do: read the wall clock, draw
random numbers other than with their Env, start goroutines or wait for channels, send or
choose in the order of a map, print addresses, change package variables, or read files,
the environment or sockets. Handlers are the methods of services and monitors, the
functions in sim.System, sim.Action and sim.Property, the handlers of machines, and everything
that they call, also in other packages. It also reports rules of machines for events that no
code creates.

PACKAGE is a pattern as for go build (default: the current folder). Test files are read,
too. A comment

    //macemc:ok REASON

on the line of a hazard, on a line of its own before it, or in the comment of the function
suppresses the hazard. Searches find what the source does not show:
macemc executes a sample of runs twice and compares them.

Exit status: 0 no hazard found, 1 hazards found, 2 bad usage or a package that does not
build.`,
		Example: `  macemc vet
  macemc vet ./mysvc ./internal/...
  macemc vet --tags integration --json ./...`,
		RunE: func(cmd *cobra.Command, args []string) error {
			c.Patterns = args
			if tags := cmd.Flag("tags"); tags != nil { // a flag of all commands
				c.Tags = tags.Value.String()
			}
			r, err := vet.Check(cmd.Context(), c)
			return showHazards(cmd, r, err, asJSON)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.BoolVar(&c.NoTests, "no-tests", false, "leave _test.go files out")
	fl.BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// showHazards prints the report and returns an error with the exit status if there are hazards.
func showHazards(cmd *cobra.Command, r *vet.Report, err error, asJSON bool) error {
	var broken *vet.BuildError
	switch {
	case errors.As(err, &broken):
		for _, m := range broken.Messages {
			fmt.Fprintln(cmd.ErrOrStderr(), m)
		}
		return task.Exit(exitcode.Usage)
	case err != nil:
		return err
	case asJSON:
		e := json.NewEncoder(cmd.OutOrStdout())
		e.SetIndent("", "  ")
		err = e.Encode(r)
	default:
		err = r.Text(cmd.OutOrStdout())
	}
	if err == nil && len(r.Findings) > 0 {
		err = task.Exit(exitcode.Violation)
	}
	return err
}
