// Command macemc checks event-driven services: it searches their runs for violations of safety and
// liveness properties and shows the run, the critical transition and the nearest run that recovers.
package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/cmd/macemc/internal/bundled"
	"github.com/macemc/macemc/cmd/macemc/internal/cli"
)

func main() { os.Exit(cli.Main(config(), os.Args[1:])) }

func config() cli.Config {
	return cli.Config{
		Systems:  bundled.Systems(),
		Commands: []*cobra.Command{newCommand(), vetCommand()},
	}
}
