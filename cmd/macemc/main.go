// Command macemc checks event-driven services: it searches their runs for violations of safety and
// liveness properties and shows the run, the critical transition and the nearest run that recovers.
package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/internal/cli"
	"github.com/macemc/macemc/internal/scaffold"
	"github.com/macemc/macemc/systems"
)

func main() { os.Exit(cli.Main(config(), os.Args[1:])) }

func config() cli.Config {
	return cli.Config{
		Systems:  systems.All(),
		Commands: []*cobra.Command{scaffold.Command()},
	}
}
