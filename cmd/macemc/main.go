// Command macemc checks event-driven services: it searches their runs for violations of safety and
// liveness properties and shows the run, the critical transition and the nearest run that recovers.
package main

import (
	"os"

	"github.com/macemc/macemc/cmd/macemc/program"
)

func main() { os.Exit(program.Main(program.Config{}, os.Args[1:])) }
