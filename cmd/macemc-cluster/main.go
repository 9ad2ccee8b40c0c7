// Command macemc-cluster is macemc with the commands of a cluster, for which it has a NATS server in it.
// "macemc cluster", "macemc worker" and "macemc search --cluster" execute it.
package main

import (
	"os"

	"github.com/macemc/macemc/cmd/macemc-cluster/clustercmd"
	"github.com/macemc/macemc/cmd/macemc/program"
)

func main() { os.Exit(program.Main(config(), os.Args[1:])) }

func config() program.Config { return program.Config{Commands: clustercmd.Commands} }
