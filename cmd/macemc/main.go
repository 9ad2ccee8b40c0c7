// Command macemc checks event-driven services: it searches their runs for violations of safety and
// liveness properties and shows the run, the critical transition and the nearest run that recovers.
package main

import (
	"os"

	"github.com/macemc/macemc/internal/cli"
	"github.com/macemc/macemc/systems"
)

func main() { os.Exit(cli.Main(cli.Config{Systems: systems.All()}, os.Args[1:])) }
