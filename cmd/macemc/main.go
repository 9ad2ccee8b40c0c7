// Command macemc checks event-driven services: it searches their runs for violations of safety and
// liveness properties and shows the run, the critical transition and the nearest run that recovers.
package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/cmd/macemc/program"
	"github.com/macemc/macemc/internal/task"
)

func main() { os.Exit(program.Main(config(), os.Args[1:])) }

func config() program.Config {
	return program.Config{Commands: func(*task.Process) []*cobra.Command { return []*cobra.Command{newCommand(), vetCommand()} }}
}
